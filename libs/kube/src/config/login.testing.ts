/**
 * A program that logs in with `$KUBECONFIG`, and prints the header that it sends. As the user and group of the number in its argument, if any: it
 * becomes that user once its modules are loaded, because the user may have no access to the project's folder.
 */
import { Credentials } from './credentials.ts';
import { loadClusterConfig } from './load-config.ts';
import { tokenStore } from './oidc-tokens.ts';

await tokenStore();

const user = process.argv[2];
if (user !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
}

const onWarning = (text: string): void => void process.stderr.write(`Warning: ${text}\n`);
process.stdout.write(String(await new Credentials(loadClusterConfig(), undefined, { onWarning }).authorization()));
