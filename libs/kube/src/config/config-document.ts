/** Configuration files in YAML, of which JSON is a part; no complaint quotes what is in them. */
import { parseDocument, type Document } from 'yaml';
import { ConfigError } from './cluster-config.ts';
import { ConfigReader } from './config-reader.ts';

/**
 * @param path for complaints
 * @returns undefined for a file without content
 * @throws ConfigError with one line for what is no YAML or no object
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

/** The aliases of a document are resolved here; the message of one that cannot be quotes it. */
function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS();
  } catch {
    throw new ConfigError(`${path}: not YAML (an alias or merge key that cannot be resolved)`);
  }
}
