/** What a page shows at the moment. */
export interface Loaded {
  /** It must survive JSON. */
  readonly data: unknown;
  /** After how long the data are loaded again while somebody looks at the page. Null if they do not change by themselves. */
  readonly refreshMs: number | null;
}

/** The parameters of the path, decoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** A page or a part of one: its path and its data function. */
export interface ViewPage {
  readonly path: string;
  /** Throws UserError where there is no such thing. */
  readonly load: (parameters: PathParameters) => Promise<Loaded>;
}

/** A page or a part by what it is sent. @param refreshMs - as `Loaded` has it */
export const viewPage = <Data>(
  path: string,
  load: (parameters: PathParameters) => Promise<Data>,
  refreshMs: number | null = null,
): ViewPage => ({
  path,
  load: async (parameters) => ({ data: await load(parameters), refreshMs }),
});

/** Something that a user does in a page. */
export interface ViewAction {
  readonly path: string;
  /** @param body - the request's JSON. Returns the sentence that says what was done. Throws UserError where it is refused. */
  readonly act: (parameters: PathParameters, body: unknown) => Promise<string>;
}

/** Everything that the server serves: the table of routes. */
export interface ViewRoutes {
  readonly pages: readonly ViewPage[];
  readonly parts: readonly ViewPage[];
  readonly actions: readonly ViewAction[];
  /** Whole documents, such as the report of a run. Each is shown without access to the pages. */
  readonly documents: readonly ViewDocument[];
}

export interface ViewDocument {
  readonly path: string;
  readonly html: (parameters: PathParameters) => Promise<string>;
}
