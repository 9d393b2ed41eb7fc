import Fastify from 'fastify';

/** The floor of the intake benchmark: the same Fastify and answer, but no work. */
const app = Fastify();
app.post('/v1/send-event', () => ({ ok: true }));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'serving', address })}\n`);
