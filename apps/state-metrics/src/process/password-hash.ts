/** Passwords in web configuration files: bcrypt hashes, such as `$2a$10$` with 22 characters of salt and 31 of the digest behind it. */
import { compare, decodeBase64, encodeBase64 } from 'bcryptjs';

const pattern = /^\$2[abxy]?\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const saltBytes = 16;

/** A hash in the form that {@link isPassword} compares. */
export type PasswordHash = string & { readonly __brand: 'PasswordHash' };

/**
 * Returns undefined for a text that is no bcrypt hash. Like Go, it does not distinguish the versions (`$2$`, `$2a$`, `$2b$`, `$2x$`, `$2y$`), and ignores
 * what the last character of a salt has beyond 16 bytes. The library compares texts, so both are written in one form.
 */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, cost = '', salt = '', digest = ''] = pattern.exec(text) ?? [];
  if (cost === '' || Number(cost) < 4 || Number(cost) > 31) return undefined;
  return `$2b$${cost}$${encodeBase64(decodeBase64(salt, saltBytes), saltBytes)}${digest}` as PasswordHash;
}

/** Returns whether a password has this hash. Lets other work run after each 0.1 s. */
export const isPassword = (password: string, hash: PasswordHash): Promise<boolean> => compare(password, hash);
