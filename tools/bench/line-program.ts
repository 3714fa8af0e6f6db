/** A program whose standard output is one result a line: a peer of ours in a process of its own, or what measures the machine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export class LineProgram implements Disposable {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(name: string, [command = process.execPath, ...args]: readonly string[]) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.name = name;
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? NaN;
  }

  /** Writes the question if there is one. @returns the next line @throws when the program has ended */
  async next(question?: string): Promise<string> {
    if (question !== undefined) this.#child.stdin?.write(`${question}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`${this.name} has ended`);
    return line.value;
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
