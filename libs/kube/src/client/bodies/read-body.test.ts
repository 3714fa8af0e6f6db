import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { readBody, readChunks, takeChunks } from './read-body.ts';
import { TransportError, type WireResponse } from '../transport/transport.ts';

const answerWith = (body: PassThrough): WireResponse => ({ status: 200, retryAfter: undefined, body, isWhole: () => !body.destroyed });

async function readAll(answer: WireResponse): Promise<number> {
  let chunks = 0;
  for await (const _chunk of readChunks(answer)) chunks++;
  return chunks;
}

it.each<[string, (answer: WireResponse) => Promise<unknown>]>([
  ['as a whole', (answer) => readBody(answer)],
  ['as it comes', (answer) => takeChunks(answer, () => undefined)],
  ['chunk by chunk', readAll],
])('a body that broke before its reader listens ends the read %s', async (_how, read) => {
  const body = new PassThrough().on('error', () => undefined);
  body.write('{');
  await new Promise<void>((resolve) => void body.once('close', resolve).destroy(new Error('reset')));
  await expect(read(answerWith(body))).rejects.toBeInstanceOf(TransportError);
});
