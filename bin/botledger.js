#!/usr/bin/env -S node --max-semi-space-size=64
// Without a navigator, as on Node 20, pg makes a Response to find out where it runs. That loads undici, which takes 30 ms.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node}` };
await import('../dist/app/cli-main.js');
