/** Entry point of the webhook thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { modules } from './kinds/index.ts';
import type { ThreadData } from './webhooks/messages.ts';
import { serveWebhooks } from './webhooks/serve.ts';

if (parentPort === null) throw new Error('this is no program of its own: the manager starts it as a thread');
await serveWebhooks(modules, workerData as ThreadData, parentPort);
