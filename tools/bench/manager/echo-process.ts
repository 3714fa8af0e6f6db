/** The server of `echo-server.ts` as a process of its own, and reviews that are sent to it: the floor under every latency of a webhook. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AdmissionLoad, type ReviewSubject } from './admission-load.ts';

export class EchoProcess implements AsyncDisposable {
  readonly load: AdmissionLoad;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, load: AdmissionLoad) {
    this.#child = child;
    this.load = load;
  }

  /**
   * @param given where the manager keeps its certificates; the authority that signed them
   * @param subjects what is sent
   */
  static async start(
    given: { readonly certificates: string; readonly certificateAuthority: string },
    subjects: readonly ReviewSubject[],
  ): Promise<EchoProcess> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'echo-server.ts'), given.certificates], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new EchoProcess(child, await AdmissionLoad.connect({ ...given, port: Number(port) }, subjects));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.load.stop();
    this.#child.stdin?.end();
  }
}
