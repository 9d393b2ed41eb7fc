import { audienceEventFields, audienceUserFields } from '../../domain/broadcast/audience.ts';
import type { FieldCatalogue } from '../../domain/condition/condition.ts';
import { operatorsFor } from '../../domain/condition/condition-operators.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import { userFields } from '../../domain/reports/fields.ts';
import { type AnyRoute, route } from '../route.ts';
import { fieldsAnswer } from './composing-schemas.ts';

/** GET /v1/broadcast/fields: what audiences and templates can name; the same for every bot. */
export function fields(): AnyRoute {
  const data = {
    users: listed(audienceUserFields),
    events: listed(audienceEventFields),
    templates: userFields.names,
  };
  return route({
    method: 'GET',
    url: '/v1/broadcast/fields',
    operationId: 'listBroadcastFields',
    summary: 'The fields that audiences and templates can name',
    tag: 'Broadcasts',
    access: { resource: 'optional', premium: true },
    answer: fieldsAnswer,
    handle: async () => ({ ok: true, data }),
  });
}

/** A name that ends in `.*` stands for any key there. */
function listed(
  catalogue: FieldCatalogue<ReportField>,
): { name: string; type: string; operators: readonly string[] }[] {
  return catalogue.names.map((name) => {
    const { type } = catalogue.find(name)!;
    return { name, type, operators: operatorsFor(type, 'audience') };
  });
}
