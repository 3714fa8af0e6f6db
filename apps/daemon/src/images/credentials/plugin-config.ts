/** The kubelet's CredentialProviderConfig. @see spec/daemon.md 5.3 */
import { readConfigDocument, type ConfigReader } from '@kruise/kube';
import { parseDuration, type Milliseconds } from '@kruise/objects';

export interface PluginConfig {
  /** File in the folder of the plugins. */
  readonly name: string;
  readonly matchImages: readonly string[];
  /** How long an answer without its own duration is cached. */
  readonly defaultCacheDuration: Milliseconds;
  /** Of requests and answers. */
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const configVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`);
const providerVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `credentialprovider.kubelet.k8s.io/${version}`);

/**
 * Parses a configuration.
 *
 * @param source the file, for errors
 * @throws ConfigError with one line for the first fault
 */
export function parsePluginConfig(text: string, source: string): readonly PluginConfig[] {
  const file = readConfigDocument({ path: source, text });
  if (file === undefined) return [];
  if (file.text('kind') !== 'CredentialProviderConfig') throw file.complaint('kind', 'must be CredentialProviderConfig');
  required(file, 'apiVersion', file.oneOf('apiVersion', configVersions));
  const providers = file.objects('providers');
  if (providers.length === 0) throw file.complaint('providers', 'must name at least one');
  const plugins = providers.map(pluginOf);
  const twice = plugins.find(({ name }, index) => plugins.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw file.complaint('providers', `${twice.name} is named twice`);
  return plugins;
}

function required<T>(reader: ConfigReader, field: string, value: T | undefined): T {
  if (value === undefined) throw reader.complaint(field, 'is required');
  return value;
}

function pluginOf(provider: ConfigReader): PluginConfig {
  const name = required(provider, 'name', provider.text('name'));
  if (/[/\s]/.test(name) || name === '.' || name === '..')
    throw provider.complaint('name', 'must be the name of a file in the plugin folder');
  const matchImages = provider.texts('matchImages');
  if (matchImages.length === 0 || matchImages.some((pattern) => !isPattern(pattern)))
    throw provider.complaint('matchImages', 'must hold patterns of the form host[:port][/path], at least one');
  const defaultCacheDuration = parseDuration(required(provider, 'defaultCacheDuration', provider.text('defaultCacheDuration')));
  if (defaultCacheDuration === undefined || defaultCacheDuration < 0)
    throw provider.complaint('defaultCacheDuration', 'must be a duration of 0 or more, such as 10m');
  return {
    name,
    matchImages,
    defaultCacheDuration,
    apiVersion: required(provider, 'apiVersion', provider.oneOf('apiVersion', providerVersions)),
    args: provider.texts('args'),
    env: Object.fromEntries(
      provider.objects('env').map((entry) => [required(entry, 'name', entry.text('name')), entry.text('value') ?? '']),
    ),
  };
}

const isPattern = (text: string): boolean => text !== '' && !text.includes('://') && !/\s/.test(text);
