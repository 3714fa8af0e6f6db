/** A text of command lines, what they print and what they write, to compare with a golden file. */
import type { FakeApi, FakeWrite } from '@kruise/kube/testing';
import { createMergePatch, stringifyLossless } from '@kruise/objects';
import { kruiseRun, type RunOptions, type RunResult } from './testing.ts';

/** A write as one line; of an update only what it changes. */
function writeText({ call: { verb, type, key, subresource, body }, before, refused }: FakeWrite): string {
  const sent = verb === 'update' && before !== undefined ? createMergePatch(before as never, body as never) : body;
  const name = `${type?.plural ?? ''}/${key.name}${subresource === '' ? '' : `/${subresource}`}`;
  return `> ${verb} ${name} ${stringifyLossless(sent)}${refused === undefined ? '' : ` (${refused.failure.kind})`}\n`;
}

/** Runs lines one after the other and notes each as it would look in a terminal; writes follow with `>`. */
export class Transcript {
  text = '';
  readonly #api: FakeApi;
  readonly #writes: FakeWrite[] = [];

  constructor(api: FakeApi) {
    this.#api = api;
    api.onWrite((write) => this.#writes.push(write));
  }

  async run(line: string, options: RunOptions = {}): Promise<RunResult> {
    this.#writes.length = 0;
    const result = await kruiseRun(this.#api, line, options);
    const calls = this.#writes.map(writeText);
    const forwarded = result.kubectl.map((args) => `> kubectl ${args.join(' ')}\n`);
    const errors = result.err.replaceAll(/^/gm, '! ').replace(/! $/, '');
    const code = result.code === 0 ? '' : `exit ${result.code}\n`;
    this.text += `$ kubectl-kruise ${line}\n${result.out}${errors}${calls.join('')}${forwarded.join('')}${code}\n`;
    return result;
  }
}
