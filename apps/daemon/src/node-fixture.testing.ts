/** A node in tests: a scripted runtime behind a real socket, an API server in memory, a clock, and the timeline of what happens to them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedRuntime, type CountingChannel, type RuntimeShape } from '@kruise/cri/testing';
import { FakeApi, FakeClock, Timeline } from '@kruise/kube/testing';
import type { CriRuntime } from './runtime/runtimes.ts';
import { recordCalls } from './testing.ts';

/** Records an event that a controller reports. */
type Recorder = { readonly event: (target: object, type: string, reason: string, message: string) => void };

/** Each part of the agent extends it with its own controllers. */
export class NodeFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'node-'));
  readonly runtime: ScriptedRuntime;
  readonly clock: FakeClock;
  readonly api: FakeApi;
  readonly timeline: Timeline;

  constructor({ clock = new FakeClock(), shape }: { readonly clock?: FakeClock; readonly shape?: RuntimeShape } = {}) {
    this.runtime = new ScriptedRuntime({ socket: join(this.folder, 'run.sock'), ...(shape === undefined ? {} : { shape }) });
    this.clock = clock;
    this.api = new FakeApi({ clock });
    this.timeline = new Timeline(clock);
  }

  /** The timeline records, from now on, every write and every call that changes the node. */
  record(): void {
    this.timeline.recordWrites(this.api);
    recordCalls(this.timeline, this.runtime);
  }

  /** The runtime as the agent has found it. */
  found(connection: CountingChannel): CriRuntime {
    return { name: this.runtime.shape.name, version: '1', socket: this.runtime.socket, connection };
  }

  /** Records events in the timeline and calls `also`. */
  recorder(also: (text: string, type: string) => void): Recorder {
    return {
      event: (_target, type, reason, message) => {
        also(`${reason}: ${message}`, type);
        this.timeline.record(`${type} event ${reason}: ${message}`);
      },
    };
  }

  async end(): Promise<void> {
    await this.runtime.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
