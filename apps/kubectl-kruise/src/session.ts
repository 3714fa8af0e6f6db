/** What the code of a command may use: the terminal, the cluster, and kubectl. */
import type { Client, Clock } from '@kruise/kube';
import type { FlagValues } from './flag-values.ts';
import type { ServedType } from './objects/served-types.ts';

/** What kubectl answered. */
export interface KubectlResult {
  readonly code: number;
  /** '' unless the output was requested. */
  readonly stdout: string;
}

/** How kubectl is run. */
export interface KubectlHow {
  /** Its stdout comes back in place of being printed. */
  readonly capture?: boolean;
  /** Its stdin; this program's when absent. */
  readonly input?: string;
  /** Gets each line of its stdout as it is written, without the line break; the output is then in no result. */
  readonly onLine?: (line: string) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Words after the global flags, such as `--` and a command. */
  readonly after?: readonly string[];
}

/** The terminal that stdout is. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** False when NO_COLOR is set. */
  readonly color: boolean;
}

/** One run of the program. */
export interface Session {
  /** Writes to stdout as it is. */
  readonly out: (text: string) => void;
  /** As it is now; undefined when stdout is a file or a pipe. */
  readonly terminal: () => Terminal | undefined;
  /** Calls the listener whenever the size of the terminal changes. @returns what ends the calls */
  readonly onResize: (listener: () => void) => () => void;
  /** Writes one line to stderr. */
  readonly warn: (line: string) => void;
  readonly stdin: () => Promise<string>;
  readonly clock: Clock;
  /** Of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and when the reader of stdout closes the pipe. */
  readonly signal: AbortSignal;
  /** Of `-n`, else of the context. */
  readonly namespace: () => string;
  readonly namespaceGiven: boolean;
  /** Connects with the first call. */
  readonly client: () => Client;
  /** All kinds of the server in the order of preference; asked once. */
  readonly types: () => Promise<readonly ServedType[]>;
  /** Runs kubectl with the same cluster, user and namespace; its output is this program's unless it is captured. */
  readonly kubectl: (args: readonly string[], how?: KubectlHow) => Promise<KubectlResult>;
  /** Does `work` in a session with the cluster and namespace of other flags, and closes its connection. */
  readonly within: <T>(flags: FlagValues, work: (session: Session) => Promise<T>) => Promise<T>;
}
