import {
  absoluteUri,
  bool,
  choice,
  connectionString,
  duration,
  feedAddress,
  guid,
  hosts,
  int,
  ipAddress,
  listenAddresses,
  long,
  longSecret,
  network,
  origin,
  path,
  port,
  redisAddress,
  text,
  webAddress,
} from './kinds.ts'
import { logCategories } from '../ground/log.ts'
import { list, map, optional, required, type Setting } from './setting.ts'

/** Default of the interface for the label in authenticator apps. */
export const unsetIssuer = 'Service'

const secret = { secret: true } as const
const noExporter =
  'does not begin with http:// or https://, as in http://localhost:4317: no telemetry is exported to it'
const noAzure =
  'is no connection string as Azure shows it, InstrumentationKey=<GUID>;IngestionEndpoint=https://…: no telemetry is exported to Azure Monitor'
const logLevel = choice('Trace', 'Debug', 'Information', 'Warning', 'Error', 'Critical', 'None')

/** Optional keys of an identity provider, by which each place serves any provider. */
const providerDetails = <const P extends 'A' | 'B'>(place: P) => {
  const details = {
    Kind: optional(
      choice('OpenIdConnect', 'GitHub'),
      `Protocol of provider ${place}. Unset: OpenIdConnect, but GitHub for B without an issuer.`,
    ),
    Issuer: optional(absoluteUri, `Issuer of provider ${place}; for GitHub, the address of an Enterprise Server.`),
    Label: optional(text, `Name of provider ${place} on buttons.`),
    Scopes: optional(text, `Scopes that provider ${place} is asked for, with spaces between them.`),
    AllowedDomain: optional(
      text,
      `Accepts only accounts of provider ${place} whose verified e-mail address is in this domain.`,
    ),
  }
  const named = Object.entries(details).map(([name, setting]) => [`identityProvider${place}${name}`, setting])
  return Object.fromEntries(named) as { [K in keyof typeof details as `identityProvider${P}${K}`]: (typeof details)[K] }
}

/**
 * All keys. The name of a key is its path in this object (`appOptions.enableCors` is `AppOptions__EnableCors`) unless
 * it has `key`. Defaults are written and parsed like values of a user.
 */
export const settings = {
  urls: required(
    listenAddresses,
    'http://127.0.0.1:5120',
    'Addresses to listen on, http or https, `;` between them. Port 0 takes any free port, `*` as host every interface.',
  ),
  port: optional(port, 'Listens on `http://127.0.0.1:<port>`. `Urls` of the same or a later source wins.', {
    key: 'PORT',
  }),
  environment: required(
    choice('Development', 'Production', 'Testing'),
    'Production',
    'Development: the dashboard link falls back to localhost. Testing: an answer that breaks its declaration is an error.',
  ),
  allowedHosts: required(hosts, '*', 'Host names this server answers to, `;` between them.'),
  configFile: optional(path, 'Settings file. Read from the environment only; `--config` wins over it.', {
    shownDefault: 'appsettings.json, when it is there',
  }),
  dataDirectory: required(path, './data', 'Database, keys and other data. The desktop app uses its own data folder.'),
  downloadsDirectory: optional(path, 'Agent bundles and installers, served under `/downloads`.', {
    shownDefault: './downloads when it is there, else the agent files built with the app',
  }),
  appOptions: {
    enablePublicRegistration: required(bool, 'false', 'Anyone may register.'),
    disableFirstUserSelfRegistration: required(
      bool,
      'false',
      'Turns off the registration that is open while there are no users.',
    ),
    enableInteractiveBearerLogin: required(bool, 'false', 'Bearer tokens and the stock identity endpoints.'),
    interactiveBearerTokenExpirationMinutes: required(int(1), '60', 'Lifetime of an access token.'),
    interactiveRefreshTokenExpirationDays: required(int(1), '30', 'Lifetime of a refresh token, which works once.'),
    enableReferenceUi: required(bool, 'false', 'Publishes the interface descriptions and a reference page.'),
    allowAgentsToSelfBootstrap: required(
      bool,
      'false',
      'Agents may enroll without a key, on a server with exactly one tenant.',
    ),
    agentClockSkewToleranceMs: optional(
      duration,
      'Maximum age of a signed agent update. Given but empty: the age is not checked, and a device whose clock was ahead is rejected until that time is reached or its agent is installed again.',
      { key: 'AppOptions__AgentClockSkewTolerance', fallback: '00:01:00', emptyMeansOff: true },
    ),
    agentInstallerKeyHistoryDays: required(
      int(),
      '90',
      'How long usages of installer keys are kept and shown. 0 or less: for ever.',
    ),
    authenticatorIssuerName: required(
      text,
      unsetIssuer,
      'Label in authenticator apps; `Service` stands for the brand name.',
    ),
    persistPasskeyLogin: required(bool, 'false', 'A passkey sign-in counts as "stay signed in".'),
    serviceAccountAuthFailureLimit: required(
      int(),
      '5',
      'Failed `x-api-key` attempts per address and per credential. 0 or less: no limit.',
    ),
    serviceAccountAuthFailureWindowMinutes: required(int(), '5', 'Window of that limit. 0 or less: no limit.'),
    externalUserCleanupAfterDays: required(
      int(),
      '30',
      'Transient users are removed after so many days without activity. Below 1: never.',
    ),
    serviceAccountCredentialCleanupAfterDays: required(
      int(),
      '0',
      'Revoked and expired keys of service accounts are removed so many days later. Below 1: never.',
    ),
    identityProviderAClientId: optional(
      text,
      'External provider A, Microsoft unless it has an issuer; on when this and its secret are set.',
    ),
    identityProviderAClientSecret: optional(text, 'Its secret.', secret),
    ...providerDetails('A'),
    identityProviderBClientId: optional(
      text,
      'External provider B, GitHub unless it has an issuer; on when this and its secret are set.',
    ),
    identityProviderBClientSecret: optional(text, 'Its secret.', secret),
    ...providerDetails('B'),
    disableDesktopPreview: required(bool, 'false', 'The preview route answers 404.'),
    maxFileTransferSize: required(long, '104857600', 'Maximum bytes of one upload or download. 0 or less: no limit.'),
    maxConnections: optional(
      int(100, 1_000_000),
      'Open connections at the same time, of agents, browsers and programs.',
      { shownDefault: 'what memory and open files allow, at most 100000' },
    ),
    maxConnectionsPerAddress: optional(
      int(10, 1_000_000),
      'Open connections from one address, which may be an office. Programs of this machine have four fifths of all, and proxies in `KnownProxies` are not counted.',
      { shownDefault: 'a fifth of all' },
    ),
    minFreeDiskSpace: required(
      long,
      '104857600',
      'Free bytes on the disk of the data folder below which uploads are refused. 0 or less: never.',
    ),
    defaultThemeMode: required(
      choice('Auto', 'Light', 'Dark'),
      'Dark',
      'Theme for visitors who are not signed in and have chosen none in this browser.',
    ),
    requireUserEmailConfirmation: required(
      bool,
      'false',
      'Sign-in needs a confirmed address. With `DisableEmailSending` no user can be created.',
    ),
    requireUserUniqueEmail: required(bool, 'true', 'Two users may not share an e-mail address.'),
    disableEmailSending: required(bool, 'false', 'No mail is sent at all.'),
    smtpHost: optional(text, 'Mail server. Needed to send mail, as are `SmtpEmail` and `SmtpDisplayName`.'),
    smtpPort: required(int(1, 65535), '587', 'Its port.'),
    smtpEmail: optional(text, 'Sender address.'),
    smtpDisplayName: optional(text, 'Sender name.'),
    smtpUserName: optional(text, 'Login at the mail server, used when the password is set too.'),
    smtpPassword: optional(text, 'Its password.', secret),
    smtpLocalDomain: optional(text, 'Name used when greeting the mail server.'),
    smtpCheckCertificateRevocation: required(
      bool,
      'false',
      'Checks whether its certificate was revoked; the certificate itself is always checked.',
      { instead: 'certificates of mail servers are checked, but no lists of revoked ones', isInterfaceDefault: true },
    ),
    enableCors: required(bool, 'false', 'Answers requests of the origins below: any header and method, credentials.'),
    corsAllowedOrigins: list(origin, 'Origins for `EnableCors`.'),
    knownProxies: list(ipAddress, 'Proxies whose forwarded headers are trusted.'),
    knownNetworks: list(network, 'Networks whose forwarded headers are trusted.'),
    outgoingNetworks: list(
      network,
      'Networks beside the internet that webhooks and contact methods may reach, such as `10.1.2.0/24`. This machine, the networks that it is in, private networks and metadata services are closed without it.',
    ),
    dockerGatewayIp: optional(ipAddress, 'One more trusted proxy.'),
    enableNetworkTrust: required(bool, 'false', 'Trusts every forwarded header.'),
    enableCloudflareProxySupport: required(bool, 'false', "Trusts the address ranges of Cloudflare's proxies.", {
      instead: 'KnownNetworks names the ranges of proxies that are trusted',
    }),
    enableSignalrDetailedErrors: required(bool, 'false', 'Detailed hub errors to clients.'),
    enableDatabaseDetailedErrors: required(
      bool,
      'false',
      'Statements and values of failed database work in the log: values can be secrets.',
    ),
    enableDockerSecrets: required(bool, 'false', 'Reads keys from the files in `/run/secrets`, one key per file.'),
    useHttpLogging: required(bool, 'false', 'Logs requests, without `/health` and without query strings.'),
    useInMemoryDatabase: required(bool, 'false', 'Volatile database, for tests.', {
      instead: 'a data folder on a memory disk is volatile, too',
    }),
    inMemoryDatabaseName: optional(text, 'Name of the database in memory.', {
      instead: 'DataDirectory names the place of the data',
    }),
    localUserDomain: required(text, 'service.local', 'Domain of the addresses of transient users.'),
    auditLogRetentionDays: required(int(), '365', 'How long events of the audit log are kept. 0 or less: for ever.'),
    authorizationChangeLogRetentionDays: required(
      int(),
      '0',
      'How long changes of rights are kept. 0 or less: for ever.',
    ),
  },
  branding: {
    brandName: required(text, 'Farhand', 'Brand of the agent build that is offered for download.'),
    publisher: required(text, 'Farhand', 'Its publisher.'),
    publicUrl: optional(
      webAddress,
      'Address that people and agents use: links, e-mails, install commands. Unset: that of the request, when it is ours.',
    ),
  },
  bootstrap: {
    serverServiceAccountName: optional(text, 'Account made at first start. With the next two: all or none.'),
    serverServiceAccountTokenId: optional(guid, 'Id of the credential of that account.'),
    serverServiceAccountTokenSecret: optional(longSecret, 'At least 32 characters.', secret),
    serverServiceAccountId: optional(guid, 'Id of the account.'),
    serverServiceAccountDescription: optional(text, 'Its description.'),
    adminEmail: optional(text, 'First user, made while there are no users. With its password, or neither.'),
    adminPassword: optional(text, 'Its password.', secret),
    adminPatTokenId: optional(guid, 'Personal access token of that user. With its secret, or neither.'),
    adminPatSecret: optional(longSecret, 'At least 32 characters.', secret),
  },
  otelExporterOtlpEndpoint: optional(
    absoluteUri,
    'Exports traces, metrics and logs to this address, by OTLP over gRPC; [telemetry.md](telemetry.md).',
    { key: 'OTEL_EXPORTER_OTLP_ENDPOINT', lenient: noExporter },
  ),
  otlpEndpointUrl: optional(absoluteUri, 'Used when the first choice is unset.', {
    key: 'OTLP_ENDPOINT_URL',
    lenient: noExporter,
  }),
  azureMonitor: {
    connectionString: optional(connectionString, 'Exports to Azure Monitor, independent of the addresses above.', {
      ...secret,
      lenient: noAzure,
    }),
  },
  metrics: {
    token: optional(
      longSecret,
      'Serves `/metrics` for Prometheus to requests with this bearer token, at least 32 characters.',
      secret,
    ),
    allowLocal: required(bool, 'false', 'Serves `/metrics` to programs of this machine without a token.'),
  },
  telemetryDashboard: {
    publicWebUrl: optional(absoluteUri, 'Dashboard link.', {
      lenient: 'is not an absolute http or https URI: there is no dashboard link',
    }),
    token: optional(text, 'Browser token of the dashboard.', secret),
  },
  logging: {
    logLevel: map(
      logLevel,
      'Information',
      `Lowest level logged, by category: ${logCategories.join(', ')}. \`Default\` is for the rest.`,
    ),
    directory: optional(
      path,
      'Folder of the log file, which the Server page shows. The desktop app has one; unset, a headless server writes to standard error.',
    ),
  },
  postgres: {
    host: optional(
      text,
      'Host of a PostgreSQL server, 15 or newer, which keeps the data in place of a file in `DataDirectory`; [databases.md](databases.md).',
      { key: 'POSTGRES_HOST' },
    ),
    port: required(int(1, 65535), '5432', 'Its port.', { key: 'POSTGRES_PORT' }),
    user: required(text, 'postgres', 'Login there, the owner of the database.', { key: 'POSTGRES_USER' }),
    password: optional(text, 'Its password.', { key: 'POSTGRES_PASSWORD', ...secret }),
    db: required(text, 'service', 'Name of the database.', { key: 'POSTGRES_DB' }),
    sslMode: optional(
      choice('disable', 'verify-full'),
      'Whether the connection uses TLS with a checked certificate. Unset: `verify-full`, but `disable` for a server on this computer.',
      { key: 'POSTGRES_SSLMODE' },
    ),
    sslRootCert: optional(path, 'Authorities of its certificate, PEM. Unset: those of the system.', {
      key: 'POSTGRES_SSLROOTCERT',
    }),
  },
  cluster: {
    redisUrl: optional(
      redisAddress,
      'Redis or Valkey that joins the servers of one PostgreSQL database, `redis:` or with TLS `rediss:`; [scale.md](scale.md).',
      secret,
    ),
    redisRootCert: optional(path, 'Authorities of the certificate of Redis, PEM. Unset: those of the system.'),
    nodeUrl: optional(
      webAddress,
      'Address at which the other servers reach this one. Unset: its first address that other computers reach, else its first.',
    ),
    drainDelayMs: required(
      duration,
      '00:00:05',
      'How long a stopping server still serves everything while `/health` answers 404, so that the balancer leaves it out before it lets agents and pages reconnect elsewhere. `00:00:00`: stops at once.',
      { key: 'Cluster__DrainDelay' },
    ),
  },
  keyProtectionOptions: {
    encryptKeys: required(
      bool,
      'false',
      'Encrypts the master key, which protects all other secrets, with the certificate below. From then on the server starts only with that certificate.',
    ),
    certificatePath: optional(path, 'PFX file with certificate and key, RSA.'),
    certificateContentsBase64: optional(text, 'The PFX itself; wins over the path.', secret),
    certificatePassword: optional(text, 'Its password.', secret),
  },
  tls: {
    certificatePath: optional(
      path,
      'Certificate for https addresses, with the chain above it: PEM, or PFX with its key. Followed when it changes. Unset: one of our own authority.',
    ),
    keyPath: optional(path, 'Key of the certificate in PEM form, unless the certificate file holds the key.'),
    certificatePassword: optional(text, 'Password of the PFX file, or of the key.', secret),
  },
  updates: {
    feed: optional(
      feedAddress,
      'Where releases of Farhand come from: an https address or a folder with `release.json`. Unset: the server does not check for releases.',
    ),
    agentRings: required(
      bool,
      'true',
      'Devices get a new version of the agent in rings: one, ten per cent, all. false: each device as soon as it checks.',
    ),
  },
  serverLifecycle: {
    decommissionServer: required(bool, 'false', 'Agents are asked to uninstall when they next report.'),
  },
}

type ValueOf<S> = S extends Setting<infer V> ? V : { [K in keyof S]: S[K] extends Setting<infer V> ? V : never }

export type Settings = { [K in keyof typeof settings]: ValueOf<(typeof settings)[K]> }

/** A row of the table: properties of a key, and the place of its value. */
export interface SettingRow extends Setting {
  /** The key in its usual spelling, without prefix: `AppOptions__EnableCors`. */
  key: string
  /** Member of the configuration that holds the key, empty at the top level. */
  group: string
  name: string
}

type Entry = Setting | Record<string, Setting>

const isSetting = (entry: Entry): entry is Setting => typeof entry['toValue'] === 'function'

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

const rowsOf = (entries: Record<string, Entry>, group = ''): SettingRow[] =>
  Object.entries(entries).flatMap(([name, entry]) =>
    isSetting(entry)
      ? { ...entry, key: entry.key ?? [group, name].filter(Boolean).map(pascal).join('__'), group, name }
      : rowsOf(entry, name),
  )

/** All keys in table order. */
export const settingRows = rowsOf(settings)
