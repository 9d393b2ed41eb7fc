import { smoke } from './smoke.js';

/** For Node.js, Deno and Bun. */
const { BASE_URL, API_KEY } = process.env;
console.log(JSON.stringify(await smoke(BASE_URL, API_KEY)));
