/** The paths of the queues. */
export const EVENTS = '/v1/send-event';
export const UPDATES = '/v1/send-batch-update';
