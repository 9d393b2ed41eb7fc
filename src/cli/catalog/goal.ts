import { createGoal } from '../../commands/catalog/create-goal.ts';
import { listGoals } from '../../queries/catalog/bots.ts';
import type { Cli } from '../cli.ts';
import { botOption, positiveInteger } from '../values.ts';
import { listOfBots } from './list-of-bots.ts';

export function goal(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('create')
    .description('Create a goal.')
    .addOption(botOption())
    .requiredOption('--target-id <n>', 'The id that send-target uses.', positiveInteger)
    .requiredOption('--name <name>')
    .action(
      cli.action<[{ bot: string; targetId: number; name: string }]>(async (context, goal) => {
        const { eventId, position } = await createGoal(context, goal);
        return {
          value: { target_id: goal.targetId, event_id: eventId },
          change: { category: 'eventtypes', position },
        };
      }),
    );

  listOfBots(cli, noun, listGoals);
}
