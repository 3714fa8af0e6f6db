/**
 * A Node process that decides nothing and shows what the machine, busy as it is, alone costs. It answers every review at once, with the key and
 * certificate in the folder given, and prints its port. To each line of its input it answers with the longest delay of its event loop, in
 * milliseconds, since the line before. It ends with its input.
 */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const [folder = '.'] = process.argv.slice(2);
const print = (value: number): void => void process.stdout.write(`${value}\n`);
const server = createSecureServer({ key: readFileSync(join(folder, 'tls.key')), cert: readFileSync(join(folder, 'tls.crt')) });
server.on('stream', (stream) => {
  stream.resume().on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => print((server.address() as AddressInfo).port));

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
for await (const _line of createInterface({ input: process.stdin })) {
  print(delay.max / 1e6);
  delay.reset();
}
process.exit();
