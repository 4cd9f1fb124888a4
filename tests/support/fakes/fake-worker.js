// A worker that only says that it is ready, or dies as FAKE_WORKER asks.

process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

if (process.env.FAKE_WORKER === 'dies-at-start') {
  console.error('Error: listen EADDRINUSE: address already in use');
  process.exit(1);
}
process.send({ kind: 'ready' }, () => {
  if (process.env.FAKE_WORKER === 'dies-when-ready') process.exit(1);
});
