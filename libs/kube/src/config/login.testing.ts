/** A program that logs in with `$KUBECONFIG`, and prints the header that it sends. */
import { Credentials } from './credentials.ts';
import { loadClusterConfig } from './load-config.ts';

const onWarning = (text: string): void => void process.stderr.write(`Warning: ${text}\n`);
process.stdout.write(String(await new Credentials(loadClusterConfig(), undefined, { onWarning }).authorization()));
