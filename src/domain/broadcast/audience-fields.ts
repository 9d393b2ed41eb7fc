import type { FieldCatalogue } from '../condition/condition.ts';
import { type ReportField, reportFields, userFields } from '../reports/fields.ts';

/** The fields of `user_conditions`, by the names that the document gives them (`users.`); `user.` is an alias. */
export const audienceUserFields: FieldCatalogue<ReportField> = {
  find: userFields.find,
  names: userFields.names.map((name) => name.replace(/^user\./, 'users.')),
};

/** The fields of an event's `conditions`: those of the event alone. */
export const audienceEventFields: FieldCatalogue<ReportField> = {
  find(name) {
    const field = reportFields.find(name);
    return field?.root === 'events' || field?.root === 'events.properties' ? field : undefined;
  },
  names: reportFields.names.filter((name) => name.startsWith('events.')),
};
