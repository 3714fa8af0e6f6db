import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { seconds } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { planCandidates } from './plan-candidates.ts';
import { planScan, type Finding } from './plan-scan.ts';
import { Runtimes } from './runtimes.ts';

describe('the places to scan', () => {
  it('are the usual ones, in the order of the specification', () => {
    expect(planCandidates('', '/hostvarrun', 'linux').paths).toEqual(
      [
        'containerd.sock',
        'containerd/containerd.sock',
        'crio.sock',
        'crio/crio.sock',
        'cri-dockerd.sock',
        'cri-dockerd/cri-dockerd.sock',
      ].map((path) => `/hostvarrun/${path}`),
    );
  });

  it.each([
    ['k3s/containerd/containerd.sock', ['k3s/containerd/containerd.sock'], false],
    ['crio.sock', ['crio.sock'], false],
    ['/var/run/crio/crio.sock', ['crio/crio.sock', 'crio.sock'], true],
    ['/run/crio/crio.sock', ['crio/crio.sock', 'crio.sock'], true],
    ['unix:///run/crio/crio.sock', ['crio/crio.sock', 'crio.sock'], true],
    ['/run/k3s/containerd/containerd.sock', ['k3s/containerd/containerd.sock', 'containerd/containerd.sock', 'containerd.sock'], true],
    ['/run/crio.sock', ['crio.sock'], true],
    ['/hostvarrun/crio/crio.sock', ['crio/crio.sock'], true],
    ['/odd/crio.sock', ['odd/crio.sock', 'crio.sock'], true],
  ])('are only %s as %j', (socketFile, paths, isSaid) => {
    const candidates = planCandidates(socketFile, '/hostvarrun', 'linux');
    expect(candidates.paths).toEqual(paths.map((path) => `/hostvarrun/${path}`));
    expect(candidates.notice !== undefined).toBe(isSaid);
  });
});

it('on Windows only one pipe is used, whatever is configured', () => {
  const pipe = { paths: ['\\\\.\\pipe\\containerd-containerd'] };
  expect(planCandidates('', '/hostvarrun', 'win32')).toEqual(pipe);
  expect(planCandidates('crio.sock', '/hostvarrun', 'win32')).toEqual(pipe);
});

describe('after a scan', () => {
  const usable = (socket: string, name: string, connection: string): Finding<string> => ({
    kind: 'Usable',
    socket,
    name,
    version: '1',
    connection,
  });
  const unusable = (socket: string): Finding<string> => ({ kind: 'Unusable', socket, why: 'does not exist' });
  const runtime = (socket: string, name: string, connection: string) => ({ socket, name, version: '1', connection });

  it('the first of a name is used, and the other connection closed', () => {
    const scan = planScan([], [usable('a', 'containerd', 'A'), usable('b', 'containerd', 'B'), usable('c', 'cri-o', 'C')]);
    expect(scan.runtimes).toEqual([runtime('a', 'containerd', 'A'), runtime('c', 'cri-o', 'C')]);
    expect(scan.unused).toEqual(['B']);
  });

  it('a runtime that does not answer stays', () => {
    expect(planScan([runtime('a', 'containerd', 'A')], [unusable('a')])).toMatchObject({
      runtimes: [runtime('a', 'containerd', 'A')],
      unused: [],
      summary: 'a: does not exist',
    });
  });

  it('a runtime that moved is used at its new path', () => {
    expect(planScan([runtime('a', 'containerd', 'A')], [unusable('a'), usable('b', 'containerd', 'B')])).toMatchObject({
      runtimes: [runtime('b', 'containerd', 'B')],
      unused: ['A'],
    });
  });

  it('the candidates are in their order, also while the first does not answer', () => {
    const known = [runtime('b', 'cri-o', 'B'), runtime('a', 'containerd', 'A')];
    const expected = [runtime('a', 'containerd', 'A'), runtime('b', 'cri-o', 'B')];
    expect(planScan(known, [unusable('a'), usable('b', 'cri-o', 'B')]).runtimes).toEqual(expected);
    expect(planScan(known, [usable('a', 'containerd', 'A'), usable('b', 'cri-o', 'B')]).runtimes).toEqual(expected);
  });

  it('another runtime at the same socket replaces the first', () => {
    expect(planScan([runtime('a', 'containerd', 'A')], [usable('a', 'cri-o', 'A')])).toMatchObject({
      runtimes: [runtime('a', 'cri-o', 'A')],
      unused: [],
    });
  });
});

describe('the runtimes of a node', () => {
  let root: string;
  let stop: AbortController;
  const started: ScriptedRuntime[] = [];
  const clock = new FakeClock();
  let logger = silentLogger();

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'run-'));
    stop = new AbortController();
    logger = silentLogger();
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(started.splice(0).map((runtime) => runtime.stop()));
    rmSync(root, { recursive: true, force: true });
  });

  async function serve(path: string, name?: string): Promise<ScriptedRuntime> {
    const socket = join(root, path);
    mkdirSync(join(socket, '..'), { recursive: true });
    const runtime = new ScriptedRuntime({ socket, ...(name === undefined ? {} : { name }) });
    started.push(runtime);
    await runtime.start();
    return runtime;
  }

  function look(): { readonly runtimes: Runtimes; readonly ended: Promise<void>; scans: () => number } {
    let scans = 0;
    const runtimes = new Runtimes({ candidates: planCandidates('', root, 'linux'), clock, logger, onScan: () => void scans++ });
    return { runtimes, ended: runtimes.run(stop.signal), scans: () => scans };
  }

  /** Returns a node with containerd, which is first, and CRI-O, once both were found. */
  async function lookAtTwo() {
    const containerd = await serve('containerd.sock');
    await serve('crio/crio.sock', 'cri-o');
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    return { containerd, runtimes, scans };
  }

  it('are found immediately, and their version is requested once', async () => {
    const containerd = await serve('containerd/containerd.sock');
    const { runtimes } = look();
    await eventually(() => runtimes.named('containerd') !== undefined);
    expect(runtimes.trouble).toBeUndefined();
    expect(containerd.callsOf('Version')).toHaveLength(1);
    expect(runtimes.named('cri-o')).toBeUndefined();
  });

  it('are found by their version alone, however long a list of images takes', async () => {
    const containerd = await serve('containerd.sock');
    containerd.on('ListImages', () => new Promise(() => undefined));
    const { runtimes } = look();
    await eventually(() => runtimes.named('containerd') !== undefined);
    expect(containerd.calls.map(({ method }) => method)).toEqual(['Version']);
  });

  it('pull images by the first candidate again after it was restarted', async () => {
    const { containerd, runtimes, scans } = await lookAtTwo();
    await containerd.stop();
    runtimes.missed();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(5));
    await eventually(() => scans() === 2);
    expect([runtimes.first?.name, runtimes.trouble]).toEqual(['containerd', undefined]);
    await containerd.start();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(15));
    await eventually(() => scans() > 2);
    expect(runtimes.first?.name).toBe('containerd');
  });

  it('are waited for while the first restarts, also after an hour without a call', async () => {
    const { containerd, runtimes, scans } = await lookAtTwo();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(3600));
    await containerd.stop();
    runtimes.missed();
    await eventually(() => scans() >= 2);
    expect(runtimes.first?.name).toBe('containerd');
  });

  it('pull images by the next candidate once the first has not answered for five minutes, until it answers', async () => {
    const { containerd, runtimes, scans } = await lookAtTwo();
    await containerd.stop();
    runtimes.missed();
    const lookUntil = async (name: string): Promise<void> => {
      for (let i = 0; i < 40 && runtimes.first?.name !== name; i++) {
        const before = scans();
        await eventually(() => clock.pending > 0);
        await clock.step(seconds(15));
        await eventually(() => scans() > before);
      }
    };
    await lookUntil('cri-o');
    expect([runtimes.first?.name, clock.monotonic() > seconds(300)]).toEqual(['cri-o', true]);
    await containerd.start();
    await lookUntil('containerd');
    expect(runtimes.first?.name).toBe('containerd');
  });

  it('may appear late: every path is named meanwhile, and nothing ends', async () => {
    writeFileSync(join(root, 'crio.sock'), 'no socket');
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    expect(runtimes.trouble).toMatch(/^no container runtime: .*containerd\.sock: does not exist; .*crio\.sock: is not a socket; /);
    await serve('containerd.sock');
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(1));
    await eventually(() => runtimes.named('containerd') !== undefined);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'No container runtime answers; scanning again',
      'Found container runtimes',
    ]);
  });

  it('are refused when they do not serve CRI v1', async () => {
    const old = await serve('containerd.sock');
    old.on('Version', () => {
      throw new ScriptedFailure(12, 'unknown service runtime.v1.RuntimeService');
    });
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    expect(runtimes.trouble).toContain('containerd.sock: CRI v1 is not served here');
  });

  it('are refused when another server listens there', async () => {
    const other = await serve('containerd.sock');
    await other.serveGarbage();
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    expect(runtimes.trouble).toContain('containerd.sock: Version: ');
  });

  it('are searched again when one is missed', async () => {
    await serve('containerd.sock');
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    await serve('crio/crio.sock', 'cri-o');
    runtimes.missed();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(5));
    await eventually(() => runtimes.named('cri-o') !== undefined);
    expect(runtimes.named('containerd')).toBeDefined();
  });

  it('report why none answers, and recover without a restart', async () => {
    const containerd = await serve('containerd.sock');
    const { runtimes, scans } = look();
    await eventually(() => scans() === 1);
    await containerd.stop();
    runtimes.missed();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(5));
    await eventually(() => scans() === 2);
    expect(runtimes.trouble).toContain('containerd.sock: does not exist');
    expect(runtimes.named('containerd')).toBeDefined();
    await containerd.start();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(1));
    await eventually(() => runtimes.trouble === undefined);
  });

  it('that were never found are reported after some time, and no more once one answered', async () => {
    const { runtimes, scans } = look();
    expect(runtimes.neverFoundFor(seconds(0))).toBeUndefined();
    await eventually(() => scans() === 1);
    expect(runtimes.neverFoundFor(seconds(0))).toContain('crio.sock: does not exist');
    expect(runtimes.neverFoundFor(seconds(60))).toBeUndefined();
    await clock.step(seconds(60));
    expect(runtimes.neverFoundFor(seconds(60))).toContain('no container runtime: ');
    const containerd = await serve('containerd.sock');
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(15));
    await eventually(() => runtimes.trouble === undefined);
    await containerd.stop();
    runtimes.missed();
    await eventually(() => clock.pending > 0);
    await clock.step(seconds(5));
    await eventually(() => runtimes.trouble !== undefined);
    expect(runtimes.neverFoundFor(seconds(0))).toBeUndefined();
  });

  it('are no longer searched after the end', async () => {
    const { ended } = look();
    await eventually(() => clock.pending > 0);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });
});
