/**
 * A server that answers every review at once, with the key and certificate in the folder given: what a call costs on this machine, busy as it
 * is, when nothing is decided. Prints its port; ends with its standard input.
 */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const [folder = '.'] = process.argv.slice(2);
const server = createSecureServer({ key: readFileSync(join(folder, 'tls.key')), cert: readFileSync(join(folder, 'tls.crt')) });
server.on('stream', (stream) => {
  stream.resume();
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.on('end', () => process.exit()).resume();
