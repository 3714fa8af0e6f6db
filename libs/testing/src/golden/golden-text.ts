/** Golden files: texts that a test compares with and that people review. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the content of the golden file, to compare `text` with. With UPDATE_GOLDEN=1 `text` is written to it first.
 *
 * @param file with a `file:` scheme, beside the test: `new URL('./testdata/x.txt', import.meta.url)`
 */
export function goldenText(file: URL, text: string): string {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(fileURLToPath(new URL('.', file)), { recursive: true });
    writeFileSync(file, text);
  }
  return readFileSync(file, 'utf8');
}
