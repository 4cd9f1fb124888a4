const lists = [
  'a an the this that these those',
  'i me my mine myself we us our ours ourselves you your yours yourself yourselves',
  'he him his himself she her hers herself it its itself they them their theirs themselves',
  'am is are was were be been being have has had having do does did doing done',
  'can could shall should will would may might must',
  'and or but nor if then else than so because while although though',
  'of at by for with about against between into through during before after above below to from up down in out on off over under again further',
  'what which who whom whose when where why how',
  'all any both each few more most other some such no not only own same too very just there here once also',
  "isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't can't couldn't shouldn't won't wouldn't mustn't",
  "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll we'd they're they've they'll they'd that's there's",
];

/** English words too common to tell texts apart, in lower case. */
export const englishStopWords: ReadonlySet<string> = new Set(
  lists.flatMap((list) => list.split(' ')),
);
