/** The parts of Kubernetes objects that a conversion writes (https://kubernetes.io/docs/reference/kubernetes-api/). */

export interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Manifest = Workload | Service | Claim | ConfigMap | Secret | NetworkPolicy;

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

export type Workload = Deployment | StatefulSet | DaemonSet | Job;

export interface Deployment {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas: number;
    readonly selector: Selector;
    readonly strategy?: {
      readonly type: 'Recreate' | 'RollingUpdate';
      readonly rollingUpdate?: { readonly maxSurge: number; readonly maxUnavailable: number };
    };
    readonly template: PodTemplate;
  };
}

export interface StatefulSet {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'StatefulSet';
  readonly metadata: Metadata;
  readonly spec: {
    readonly serviceName: string;
    readonly replicas: number;
    readonly selector: Selector;
    readonly template: PodTemplate;
    readonly volumeClaimTemplates: readonly Pick<Claim, 'metadata' | 'spec'>[];
  };
}

export interface DaemonSet {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly metadata: Metadata;
  readonly spec: { readonly selector: Selector; readonly template: PodTemplate };
}

export interface Job {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: Metadata;
  readonly spec: { readonly completions?: number; readonly backoffLimit: number; readonly template: PodTemplate };
}

export interface PodTemplate {
  readonly metadata: Omit<Metadata, 'name'>;
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly PodVolume[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly hostname?: string;
  readonly hostNetwork?: true;
  readonly dnsPolicy?: 'ClusterFirstWithHostNet';
  readonly hostPID?: true;
  readonly hostIPC?: true;
  readonly hostAliases?: readonly { readonly ip: string; readonly hostnames: readonly string[] }[];
  readonly dnsConfig?: {
    readonly nameservers?: readonly string[];
    readonly searches?: readonly string[];
    readonly options?: readonly { readonly name: string; readonly value?: string }[];
  };
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly runtimeClassName?: string;
  readonly securityContext?: {
    readonly fsGroup?: number;
    readonly supplementalGroups?: readonly number[];
    readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
  };
  /** Off: links of Docker's kind, which would add a variable for each object of the namespace. */
  readonly enableServiceLinks: false;
  /** Off: compose services do not call the API of the cluster. */
  readonly automountServiceAccountToken: false;
}

interface Exec {
  readonly exec: { readonly command: readonly string[] };
}

export interface Probe extends Exec {
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly containerPort: number; readonly protocol: Protocol }[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Exec; readonly preStop?: Exec };
  readonly securityContext?: SecurityContext;
  readonly stdin?: true;
  readonly tty?: true;
}

export interface SecurityContext {
  readonly privileged?: true;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly readOnlyRootFilesystem?: true;
  readonly allowPrivilegeEscalation?: false;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: true;
}

/** Permissions as a number: 0o440 is 288. */
interface Item {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface PodVolume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: 'Memory'; readonly sizeLimit?: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly configMap?: { readonly name: string; readonly items: readonly Item[] };
  readonly secret?: { readonly secretName: string; readonly items: readonly Item[] };
}

export interface Claim {
  readonly apiVersion: 'v1';
  readonly kind: 'PersistentVolumeClaim';
  readonly metadata: Metadata;
  readonly spec: {
    readonly accessModes: readonly ('ReadWriteOnce' | 'ReadWriteMany')[];
    readonly resources: { readonly requests: { readonly storage: string } };
  };
}

export interface ConfigMap {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface Secret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: Metadata;
  readonly type: 'Opaque';
  /** Base64. */
  readonly data: Readonly<Record<string, string>>;
}

export interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number;
  readonly protocol: Protocol;
  readonly appProtocol?: string;
}

export interface Service {
  readonly apiVersion: 'v1';
  readonly kind: 'Service';
  readonly metadata: Metadata;
  readonly spec: {
    readonly type?: 'LoadBalancer';
    readonly clusterIP?: 'None';
    readonly selector: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
  };
}

type Peer = { readonly podSelector: Selector };

export interface NetworkPolicy {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'NetworkPolicy';
  readonly metadata: Metadata;
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ['Ingress'];
    readonly ingress: readonly {
      readonly from?: readonly Peer[];
      readonly ports?: readonly { readonly port: number; readonly protocol: Protocol }[];
    }[];
  };
}
