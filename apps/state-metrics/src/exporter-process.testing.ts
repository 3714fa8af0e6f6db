/** The whole program as a process of its own. */
import { findFreePorts, type ProcessOverrides, ProgramProcess } from '@kruise/testing';
import { readExposition, type ReadFamily, type ReadSample } from './families/exposition.testing.ts';

export class ExporterProcess extends ProgramProcess {
  /** Of the metrics of objects, and of those of the process. */
  readonly ports: readonly [objects: number, telemetry: number];

  private constructor(flags: readonly string[], ports: ExporterProcess['ports'], overrides: ProcessOverrides) {
    const [port, telemetry] = ports;
    const addresses = ['--host=127.0.0.1', `--port=${port}`, '--telemetry-host=127.0.0.1', `--telemetry-port=${telemetry}`];
    super({
      ...overrides,
      app: 'state-metrics',
      args: [...addresses, '--logtostderr=true', '--v=4', ...flags],
      env: {},
      servers: { probes: `127.0.0.1:${port}`, metrics: `127.0.0.1:${telemetry}` },
      readyPath: '/healthz',
    });
    this.ports = ports;
    this.startOnly();
  }

  /** Resolves when the process has been started, not when it is ready. */
  static async launch(flags: readonly string[], overrides: ProcessOverrides = {}): Promise<ExporterProcess> {
    const [objects = 0, telemetry = 0] = await findFreePorts(2);
    return new ExporterProcess(flags, [objects, telemetry], overrides);
  }

  /** The metrics of objects; '' while nothing answers. */
  async text(): Promise<string> {
    return (await this.ask('/metrics'))[1];
  }

  /** Read by a strict reader. */
  async families(): Promise<readonly ReadFamily[]> {
    return readExposition(await this.text());
  }

  async samples(family: string): Promise<readonly ReadSample[]> {
    return (await this.families()).find(({ name }) => name === family)?.samples ?? [];
  }
}
