import { markup } from '../page/markup.js';

/** The document of every page: the script makes the rest. Its element `main` is filled by the script. */
export const shell = (actionSecret: string): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="turnwise-action" content="${actionSecret}">
<title>turnwise</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/view.css">
<script type="module" src="/assets/view.js"></script>
</head>
<body>
<div id="app"><noscript><p class="note">turnwise view needs JavaScript. \`turnwise report\` writes pages that do not.</p></noscript></div>
</body>
</html>
`.text;
