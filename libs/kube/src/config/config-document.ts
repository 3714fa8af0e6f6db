/** Reads configuration files in YAML, which includes JSON. No error quotes their content. */
import { parseDocument, type Document } from 'yaml';
import { ConfigError } from './cluster-config.ts';
import { ConfigReader } from './config-reader.ts';

/**
 * Reads one configuration document.
 *
 * @param path for errors
 * @returns undefined for a file without content
 * @throws ConfigError with one line when the text is not YAML or not an object
 */
export function readConfigDocument({ path, text }: { readonly path: string; readonly text: string }): ConfigReader | undefined {
  const document = parseDocument(text, { version: '1.2', merge: true, uniqueKeys: true, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split('\n').length;
    throw new ConfigError(`${path}: line ${line}: not YAML (${error.code})`);
  }
  const content = contentOf(document, path);
  return content === null ? undefined : ConfigReader.of(content, path);
}

/** Resolves the aliases of a document. The library's message for an alias that cannot be resolved quotes it, so it is replaced. */
function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS();
  } catch {
    throw new ConfigError(`${path}: not YAML (an alias or merge key that cannot be resolved)`);
  }
}
