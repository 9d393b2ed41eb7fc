import type { ReadModel } from '../../src/projections/read-model.ts';
import { type BotApiServer, startBotApi } from './bot-api-server.ts';
import { sendingBot } from './broadcasts.ts';
import { type ConsolePage, logInWith, type PageOptions, startBrowser, type TestBrowser } from './browser.ts';
import { startTestService, type TestBot, type TestService } from './service.ts';

/** A service, and a browser that shows its console. */
export interface TestConsole {
  readonly service: TestService;
  readonly browser: TestBrowser;
  /** Logs in by hand, on a page of a separate browser. */
  logIn(apiKey: string, options?: PageOptions): Promise<ConsolePage>;
  stop(): Promise<void>;
}

/** A console whose service sends broadcasts to a platform of the test. */
export interface SendingConsole extends TestConsole {
  readonly platform: BotApiServer;
  /** A bot that can send. */
  readonly bot: TestBot;
}

/** @param changes to the environment of the service */
export async function startConsole(
  changes: Record<string, string> = {},
  readModels?: readonly ReadModel[],
): Promise<TestConsole> {
  const [service, browser] = await Promise.all([
    // Reports of a page that was left count until they end, which on a busy machine is late.
    startTestService({ REPORT_CONCURRENCY: '50', ...changes }, undefined, undefined, readModels),
    startBrowser(),
  ]);
  return {
    service,
    browser,
    async logIn(apiKey, options) {
      const console = await browser.open(options);
      await logInWith(console, service.address, apiKey);
      return console;
    },
    async stop() {
      await browser.close();
      await service.stop();
    },
  };
}

/** @param changes to the environment of the service */
export async function startSendingConsole(changes: Record<string, string> = {}): Promise<SendingConsole> {
  const platform = await startBotApi();
  const console = await startConsole({ TELEGRAM_API_ROOT: platform.root, ...changes });
  return {
    ...console,
    platform,
    bot: await sendingBot(console.service),
    async stop() {
      await console.stop();
      await platform.close();
    },
  };
}
