/** Writes new tokens to a kubeconfig. */
import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isJsonObject, memberAt } from '@kruise/objects';
import { parseDocument } from 'yaml';

const configPath = ['user', 'auth-provider', 'config'] as const;

/**
 * Replaces the tokens of every user of a kubeconfig that has the used refresh token. Comments and other fields stay. If no user has it any more, another
 * program was faster, and nothing is written.
 *
 * @throws when the file cannot be written, or another program holds its lock, which kubectl calls `<file>.lock`
 */
export async function storeTokens(
  path: string,
  used: string,
  { idToken, refreshToken }: { readonly idToken: string; readonly refreshToken: string },
): Promise<void> {
  const file = await realpath(path);
  const lock = `${file}.lock`;
  await (await open(lock, 'wx', 0o600)).close();
  const draft = `${file}.${process.pid}.new`;
  try {
    const document = parseDocument(await readFile(file, 'utf8'));
    const users: unknown = memberAt(document.toJS(), 'users');
    const holders = (Array.isArray(users) ? (users as unknown[]) : []).flatMap((user, index) =>
      isJsonObject(user) && memberAt(user, ...configPath, 'refresh-token') === used ? [index] : [],
    );
    if (holders.length === 0) return;
    for (const index of holders) {
      document.setIn(['users', index, ...configPath, 'id-token'], idToken);
      document.setIn(['users', index, ...configPath, 'refresh-token'], refreshToken);
    }
    await writeFile(draft, document.toString({ lineWidth: 0 }), { mode: (await stat(file)).mode & 0o777 });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
    await rm(lock, { force: true });
  }
}
