import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { createS3Storage } from '../../storage/s3-storage.js';

it.each([
  ['never answers', null],
  ['stops within an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
])('an object store that %s is given up', async (_, answer) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (answer !== null) socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  try {
    const timeouts = { connectionTimeout: 300, socketTimeout: 300 };
    const storage = createS3Storage({ bucket: 'b', prefix: '' }, undefined, timeouts);
    await expect(storage.read('a')).rejects.toThrow('s3://b: it cannot be reached');
  } finally {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
