/** Derived amounts never wait: a report needs no query for events that do. */
export const deferredValues = async (): Promise<null> => null;
export const deferredEvents = deferredValues;
