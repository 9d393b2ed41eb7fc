import { counted } from '../parts/counted.ts';
/** The texts of the page Live. */
export const words = {
  title: 'Live',
  lead: 'The events that were received last, the newest first.',
  paused: (count: string) => `Paused: ${counted(count, 'event waits', 'events wait')}`,
  atMost: (count: string) => `${count} or more`,
  running: 'Listening',
  pause: 'Pause',
  goOn: 'Continue',
  events: 'Events',
  lastEvents: 'The last events',
  when: 'When',
  event: 'Event',
  person: 'Person',
  with: 'With',
  dated: (date: string) => `dated ${date}`,
  details: 'Details',
  show: (event: string, time: string) => `Details of ${event} at ${time}`,
  counted: 'As it was counted',
  received: 'Received',
  date: 'Date of the event',
  id: 'Id of the event',
  last: (count: string) => `The last ${count} events stay here.`,
  older: 'Ask for older ones in a report',
  find: 'Event, person or id',
  noneFound: 'None of the last events matches.',
  errors: 'Errors of your bot',
  noErrors: 'No errors within 90 days.',
  latest: (count: string) => `The latest ${count}; there may be older ones.`,
  keptFor: 'Errors of the last 90 days.',
  open: (count: string) => `${count} open`,
  times: (count: number) => counted(count, 'event'),
  lastAt: (date: string) => `Last ${date}`,
  resolved: (count: number) => `${count} counted after all, since the person started the bot within 24 hours.`,
  sent: 'As it was sent',
  see: 'See the last one',
  whatToDo: 'What to do',
  kinds: {
    unknown_user: 'Unknown person',
    warning: 'Taken, but not as sent',
    property_limit: 'Too many names of properties',
  },
  advice: {
    unknown_user:
      'Your server sent events for people who never started the bot. Send the update that made the event first (send-update, ' +
      'or the webhook). If the person starts within 24 hours, the events count after all.',
    warning: 'The event counts, but a part of it does not. The message names the part: send it as it asks, or drop it.',
    property_limit:
      'A bot has up to 1,000 names of properties. Values under further names are not kept. Put what varies, such as an id, into a ' +
      'value instead of a name.',
  },
} as const;
