/** A node with a scripted runtime over a real socket, a fake API server, and processes of the image part; fake time runs while a test waits. */
import { join } from 'node:path';
import { imagePullJobAnnotations, nodeImages, type ImageSpec, type ImageTagSpec, type ImageTagStatus, type NodeImage } from '@kruise/api';
import { containerdShape, CountingChannel, isQuiet, type RuntimeShape } from '@kruise/cri/testing';
import { CachingClient, ControllerRunner, Informers, type Client } from '@kruise/kube';
import { FakeClock, Lifetime, silentLogger, type Death, type FakeApi } from '@kruise/kube/testing';
import { seconds, secrets, type Secret } from '@kruise/objects';
import { isBusyWithFiles } from '@kruise/testing';
import { Registry } from 'prom-client';
import { NodeFixture } from '../node-fixture.testing.ts';
import type { NodeDependencies } from '../node-part.ts';
import { node } from '../testing.ts';
import { imagesPart } from './index.ts';

const key = { namespace: '', name: node };

/** Returns a tag as the webhook leaves it. */
export const aTag = (tag: string, more: Partial<ImageTagSpec> = {}): ImageTagSpec => ({
  tag,
  createdAt: '2026-01-01T00:00:00Z',
  imagePullPolicy: 'IfNotPresent',
  pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 300 },
  ...more,
});

export const images = (wanted: Readonly<Record<string, readonly ImageTagSpec[]>>): Readonly<Record<string, ImageSpec>> =>
  Object.fromEntries(Object.entries(wanted).map(([name, tags]) => [name, { tags: [...tags] }]));

export const dockerConfig = (auths: Readonly<Record<string, readonly [string, string]>>): string =>
  JSON.stringify({
    auths: Object.fromEntries(
      Object.entries(auths).map(([location, pair]) => [location, { auth: Buffer.from(pair.join(':')).toString('base64') }]),
    ),
  });

export interface ProcessOptions {
  /** `--max-workers-for-pull-image`. */
  readonly workers?: number;
  readonly hasRuntime?: () => boolean;
  /** The process dies at this write. */
  readonly death?: Death;
}

/** One process of the daemon, as far as it pulls images. */
export class DaemonRun {
  readonly api: FakeApi;
  readonly events: string[] = [];
  readonly registry = new Registry();
  readonly logger = silentLogger();
  readonly live: Readonly<Record<string, () => string | undefined>>;
  readonly #lifetime: Lifetime;
  readonly #abort = new AbortController();
  readonly #running: Promise<unknown>;
  readonly connection: CountingChannel;

  constructor(fixture: ImagesFixture, { workers = -1, hasRuntime = () => true, death }: ProcessOptions = {}) {
    const { clock, runtime } = fixture;
    this.#lifetime = new Lifetime(death);
    // Not immediately: a write at which it dies, and which must be carried out, would count as aborted.
    this.#lifetime.ended.addEventListener('abort', () => setImmediate(() => this.#abort.abort(new Error('killed'))));
    this.api = this.#lifetime.connect(fixture.api, 'daemon');
    this.connection = new CountingChannel(runtime.socket);
    const informers = new Informers({ client: this.api, clock, logger: this.logger });
    const found = fixture.found(this.connection);
    const runtimes = {
      get first() {
        return hasRuntime() ? found : undefined;
      },
      trouble: undefined,
      missed: () => undefined,
    };
    const dependencies = {
      nodeName: node,
      flags: {
        'max-workers-for-pull-image': workers,
        'plugin-config-file': join(fixture.folder, 'plugins.yaml'),
        'plugin-bin-dir': fixture.folder,
      },
      clock,
      logger: this.logger,
      registry: this.registry,
      runtimes,
      informers,
      clientFor: (): Client => new CachingClient(this.api, informers),
      recorderFor: (component: string) => ({
        event: (target: object, type: string, reason: string, message: string) => {
          const { kind, metadata, name } = target as { kind: string; metadata?: { name: string }; name?: string };
          const event = `${component} ${type} ${reason} ${kind}/${metadata?.name ?? name ?? ''}: ${message}`;
          this.events.push(event);
          fixture.timeline.record(`event ${event}`);
        },
      }),
    } as unknown as NodeDependencies;
    const part = imagesPart(dependencies)!;
    this.live = part.live!;
    const { signal } = this.#abort;
    const runners = part.controllers.map(
      ({ definition, retry }) =>
        new ControllerRunner(definition, { clock, logger: this.logger, retryLimits: { ...retry, qps: 1000, burst: 1000 } }),
    );
    this.#running = Promise.all([informers.run(signal), part.run?.(signal), ...runners.map((runner) => runner.run(signal))]);
  }

  /** Kills the process as SIGKILL does: nothing of it reaches API server or runtime any more. */
  kill(): void {
    this.#lifetime.kill();
  }

  get dead(): boolean {
    return this.#lifetime.dead;
  }

  async end(): Promise<void> {
    this.#abort.abort(new Error('the test ends'));
    await this.#running.catch(() => undefined);
    this.connection.close();
  }
}

export class ImagesFixture extends NodeFixture {
  readonly #runs: DaemonRun[] = [];

  constructor(shape: RuntimeShape = containerdShape) {
    super({ clock: new FakeClock(undefined, 'WhenIdle'), shape });
    const channels = (): readonly CountingChannel[] => this.#runs.map(({ connection }) => connection);
    // The clock does not advance before files are read and the runtime has answered every call except those that a script delays.
    this.clock.isBusy = () => isBusyWithFiles() || !isQuiet(this.runtime, channels());
    this.record();
  }

  live(options?: ProcessOptions): DaemonRun {
    const run = new DaemonRun(this, options);
    this.#runs.push(run);
    return run;
  }

  /** Requests images, instead of the previous ones. */
  ask(wanted: Readonly<Record<string, ImageSpec>>): NodeImage {
    const held = this.api.peek(nodeImages, key);
    const base: NodeImage = held ?? { apiVersion: 'apps.kruise.io/v1beta1', kind: 'NodeImage', metadata: { name: node }, spec: {} };
    return this.api.seed(nodeImages, { ...base, spec: { images: { ...wanted } } });
  }

  askTags(wanted: Readonly<Record<string, readonly ImageTagSpec[]>>): NodeImage {
    return this.ask(images(wanted));
  }

  /** Adds a Secret. @param source `<namespace>/<name>` of the Secret that it is a copy of */
  addSecret(name: string, config: string, source?: string): Secret {
    return this.api.seed(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace: 'kruise-daemon-config',
        ...(source === undefined ? {} : { annotations: { [imagePullJobAnnotations.pullSecretSourceKey]: source } }),
      },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
    });
  }

  get nodeImage(): NodeImage | undefined {
    return this.api.peek(nodeImages, key);
  }

  statusOf(image: string, tag: string): ImageTagStatus | undefined {
    return this.nodeImage?.status?.imageStatuses?.[image]?.tags.find((entry) => entry.tag === tag);
  }

  phaseOf(image: string, tag: string): string | undefined {
    return this.statusOf(image, tag)?.phase;
  }

  get statusWrites(): number {
    return this.api.calls.filter(({ verb, subresource }) => verb === 'update' && subresource === 'status').length;
  }

  /** Seconds of fake time since the beginning. */
  get now(): number {
    return this.clock.monotonic() / 1000;
  }

  /** Lets time pass until the condition holds. */
  async until(condition: () => boolean, withinSeconds = 300): Promise<void> {
    const end = this.clock.monotonic() + seconds(withinSeconds);
    while (!condition()) {
      if (this.clock.monotonic() > end)
        throw new Error(`not within ${withinSeconds} s: ${condition.toString()}; ${JSON.stringify(this.nodeImage?.status)}`);
      await this.pass(0.1);
    }
  }

  async pass(length: number): Promise<void> {
    const end = this.clock.monotonic() + seconds(length);
    await this.settle();
    while (this.clock.monotonic() < end) {
      await this.clock.step(100);
      await this.settle();
    }
  }

  settle(): Promise<void> {
    return this.clock.settle();
  }

  override async end(): Promise<void> {
    for (const run of this.#runs) await run.end();
    await super.end();
  }
}
