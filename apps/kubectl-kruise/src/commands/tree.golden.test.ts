/** What `tree` and `why` print, as transcripts. */
import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { eventually, goldenText } from '@kruise/testing';
import { ApiError } from '@kruise/kube';
import { FakeClock } from '@kruise/kube/testing';
import { kruiseRun, typeOf } from '../testing.ts';
import { Transcript } from '../transcript.testing.ts';
import { cluster, pulling, removePod, stopContainer } from './cluster.testing.ts';

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));

it('tree', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  addPod('web-2');
  addPod('web-3', pulling, { revision: 'web-b' });
  const transcript = new Transcript(api);
  await transcript.run('tree clone/web');
  await transcript.run('tree clone web', { terminal: { columns: 40, rows: 24, color: false } });
  await transcript.run('tree pod/web-3 -o json');
  await transcript.run('tree clone/none');
  await transcript.run('tree clone');
  await transcript.run('tree clone/web -o yaml');
  await transcript.run('tree clone/web clone/other');
  golden('tree', transcript.text);
});

it('tree of a thousand Pods has at most 60 lines, and --all has all', async () => {
  const { api, addPod } = cluster();
  for (let index = 0; index < 1000; index++)
    addPod(`web-${index}`, index % 7 === 0 ? pulling : undefined, { revision: index % 3 === 0 ? 'web-b' : 'web-a' });
  const { out } = await kruiseRun(api, 'tree clone/web');
  golden('tree-thousand', out);
  expect((await kruiseRun(api, 'tree clone/web --all')).out.split('\n').length).toBeGreaterThan(2000);
});

describe('tree -w', () => {
  it('writes a line for each change into a pipe, without escape sequences, and ends with the object', async () => {
    const served = cluster();
    const { api, addPod } = served;
    addPod('web-3', pulling, { revision: 'web-b' });
    const clock = new FakeClock();
    let out = '';
    const running = kruiseRun(api, 'tree clone/web -w', { clock, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('ImagePullBackOff'));
    for (const change of [async () => addPod('web-4'), () => stopContainer(served, 'web-4'), () => removePod(served, 'web-4')]) {
      const before = out.length;
      await change();
      await eventually(async () => {
        await clock.step(milliseconds(100));
        return out.length > before;
      });
    }
    await api.delete(typeOf('CloneSet'), { namespace: 'default', name: 'web' });
    expect(await running).toMatchObject({ code: 1, err: 'error: object has been deleted\n' });
    golden('tree-pipe', out.replaceAll(/^\d{4}-\S+Z /gm, 'TIME '));
    expect(out).not.toContain('\u001B');
  });

  it('rewrites the changed lines of a terminal', async () => {
    const { api, addPod } = cluster();
    addPod('web-3', pulling, { revision: 'web-b' });
    const clock = new FakeClock();
    const stop = new AbortController();
    let out = '';
    const terminal = { columns: 60, rows: 30, color: true };
    const running = kruiseRun(api, 'tree clone/web -w', { clock, terminal, signal: stop.signal, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('ImagePullBackOff'));
    const first = out.length;
    await api.patch(
      typeOf('Pod', ''),
      { namespace: 'default', name: 'web-3' },
      { metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'Updating' } } },
      { type: 'merge' },
    );
    await eventually(async () => {
      await clock.step(milliseconds(100));
      return out.length > first;
    });
    stop.abort();
    expect((await running).code).toBe(130);
    expect(out.slice(first)).toMatch(
      /^\u001B\[\d+A\u001B\[2K│ .*Pod web-3.*\r\n\u001B\[\d+B$|^\u001B\[\d+A\u001B\[2K.*Pod web-3.*\r\n\u001B\[\d+B$/,
    );
  });
});

it('why', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  addPod('web-2');
  addPod('web-3', pulling, { revision: 'web-b' });
  const transcript = new Transcript(api);
  await transcript.run('why clone/web');
  await transcript.run('why pod/web-3 -o json');
  await transcript.run('why pod/web-1');
  await transcript.run('why clone/none');
  await transcript.run('why clone');
  api.faults = {
    before: ({ verb, type }) => {
      if (verb === 'list' && type?.kind === 'Event')
        throw new ApiError('events is forbidden', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    },
  };
  await transcript.run('why pod/web-1');
  golden('why', transcript.text);
});

it('why names a missing right once, however many reads need it', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  for (const [name, nodeName] of [
    ['web-2', 'node-2'],
    ['web-3', 'node-3'],
  ] as const) {
    addPod(name, pulling, { revision: 'web-b' });
    await api.patch(typeOf('Pod', ''), { namespace: 'default', name }, { spec: { nodeName } }, { type: 'merge' });
  }
  api.faults = {
    before: ({ verb, type }) => {
      if (verb === 'list' && type?.kind === 'Node') throw new ApiError('no', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    },
  };
  const { err } = await kruiseRun(api, 'why clone/web');
  expect(err).toBe('Warning: a cause may be hidden: you may not list nodes\n');
});
