/** The demo as a newcomer without root runs it: simulated nodes, no terminal. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ensureBinaries, silent } from '@kruise/testing';
import { runProgram, type Ended } from '../tasks/run-program.ts';

/** Only a demo that does not come to its end takes this long, however slow the machine. */
const timeoutMs = 600_000;
const stateFolder = mkdtempSync(join(tmpdir(), 'kruise-demo-'));
let ended: Ended;

beforeAll(async () => {
  await ensureBinaries(['kubectl', 'helm', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'], silent);
  ended = await runProgram({
    file: 'tools/demo/main.ts',
    args: ['--simulated'],
    env: { XDG_STATE_HOME: stateFolder, KUBECONFIG: '', NODE_OPTIONS: '' },
    passOn: false,
    timeoutMs,
    signal: new AbortController().signal,
  });
}, 2 * timeoutMs);
afterAll(() => rmSync(stateFolder, { recursive: true, force: true }));

it('succeeds and names what is simulated and what it verified', () => {
  expect(ended).toMatchObject({ code: 0, timedOut: false, output: expect.stringContaining('Verified, on simulated nodes:') });
  expect(ended.output).toMatch(/simulated +3 nodes, their kubelets and all containers/);
  for (const kind of ['CloneSet', 'SidecarSet', 'StatefulSet', 'PodUnavailableBudget'])
    expect(ended.output).toMatch(new RegExp(`^ {2}✓ ${kind}: `, 'm'));
});

it("shows the budget's message when it refuses an eviction and a deletion", () => {
  expect(ended.output).toMatch(/Refused: 429, .*podunavailablebudget\.policy\.kruise\.io "db" is forbidden/);
  expect(ended.output).toMatch(/Refused: 403, .*podunavailablebudget\.policy\.kruise\.io "db" is forbidden/);
});

it('ends with the command that starts a cluster that stays, and leaves nothing behind', () => {
  expect(ended.output).toContain('npm run demo -- --keep --simulated');
  expect(readdirSync(stateFolder)).toEqual([]);
});
