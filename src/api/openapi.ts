import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { GUIDE_URL } from './guide.ts';
import { withComponents } from './openapi-components.ts';
import { withExamples } from './openapi-examples.ts';
import { tagOf } from './revalidation.ts';
import { KEY_AND_BOT } from './route.ts';

const DESCRIPTION = `Event intake, reports, broadcasts and a referral program for bots.

Answers are \`{ok: true, data}\`; the intake methods answer only \`{ok: true}\`, errors \`{ok: false, error, error_code}\`. Integers are
below 2^53, as JavaScript has them.

The API key stands in the header \`Api-Key\` or \`Authorization: Bearer\`, in the query as \`api-key\`, or in a JSON object
as body as \`api-key\`; the first of these counts. A key for several bots also names the bot: header \`Resource-Key\`, query
\`resource_key\`, or \`resource_key\` in the body.`;

/** Shows our name in place of the library's. */
const LOGO = {
  type: 'image/svg+xml',
  content:
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><text x="0" y="28" font-family="sans-serif" font-size="26" font-weight="bold" fill="#fff">Botledger</text></svg>',
  href: '/docs',
};

/**
 * The Content-Security-Policy of the pages at /docs. Their scripts are our files, and their requests go only to this
 * service. Swagger UI draws its icons from `data:` addresses, and its highlighter writes a style into the page.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves OpenAPI 3.1 of the declared routes at /openapi.json, and pages for people at /docs. Called before routes are added. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Botledger',
        version: '1',
        description: DESCRIPTION,
      },
      externalDocs: { url: GUIDE_URL, description: 'The guide: first steps, an example of each endpoint, operation' },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api-key' },
          resourceKey: { type: 'apiKey', in: 'header', name: 'Resource-Key' },
          resourceKeyInQuery: { type: 'apiKey', in: 'query', name: 'resource_key' },
          secretToken: { type: 'apiKey', in: 'header', name: 'X-Telegram-Bot-Api-Secret-Token' },
        },
      },
      security: KEY_AND_BOT,
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => withExamples(withComponents(jsonSchemaTransformObject(document))),
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Botledger: the API' },
    logo: LOGO,
    staticCSP: CONTENT_POLICY,
  });
  let served: { readonly text: string; readonly tag: string } | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    if (served === null) {
      const text = JSON.stringify(app.swagger());
      served = { text, tag: tagOf(text) };
    }
    return reply.type('application/json; charset=utf-8').header('etag', served.tag).send(served.text);
  });
}
