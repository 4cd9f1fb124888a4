// First sentences that several methods share.

export const answerFromContext =
  'You answer a question about research papers from a context that was retrieved for it. The context may be incomplete or beside the point: weigh it, and give the best answer it allows.';

export const bothStores =
  'You answer questions about research papers. Everything known about the papers was read from their PDFs into two places: a DuckDB database, which you query with SQL, and a Milvus vectorstore, which holds embeddings of selected database cells and finds passages by similarity.';
