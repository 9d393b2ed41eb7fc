import { smoke } from './smoke.js';

/** For workerd, the runtime of Cloudflare Workers: `workerd test` calls this. */
export default {
  async test(_controller, { BASE_URL, API_KEY }) {
    console.log(JSON.stringify(await smoke(BASE_URL, API_KEY)));
  },
};
