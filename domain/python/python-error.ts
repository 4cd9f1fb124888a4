/** What Python would raise; the message is `str` of it. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
}
