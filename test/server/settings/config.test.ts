import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { configurationFile } from '../../../tools/documents.ts'
import { parseArguments } from '../../../server/settings/arguments.ts'
import { ConfigError } from '../../../server/settings/config-error.ts'
import { environment, loadConfig, type Config, type ConfigInput } from '../../../server/settings/config.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-config-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** Writes a file into the test's folder and returns its path. */
function write(name: string, content: unknown): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const load = (env: Record<string, string> = {}, more: Partial<ConfigInput> = {}): Config =>
  loadConfig({ env, workingDirectory: folder, secretsDirectory: join(folder, 'secrets'), ...more })

function errorOf(env: Record<string, string>, more: Partial<ConfigInput> = {}): ConfigError {
  try {
    load(env, more)
  } catch (error) {
    if (error instanceof ConfigError) {
      return error
    }
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('sources', () => {
  test('without any source the defaults apply, and the server listens on loopback only', () => {
    const config = load()
    expect(config.urls).toEqual([{ scheme: 'http', host: '127.0.0.1', port: 5120 }])
    expect(config.dataDirectory).toBe(join(folder, 'data'))
    expect(config.downloadsDirectory).toBeUndefined()
    expect(config.appOptions).toMatchObject({
      enablePublicRegistration: false,
      agentClockSkewToleranceMs: 60_000,
      maxFileTransferSize: 104_857_600,
      requireUserUniqueEmail: true,
      defaultThemeMode: 'Dark',
      corsAllowedOrigins: [],
      smtpHost: undefined,
    })
    expect(config.logging.logLevel).toEqual({ default: 'Information' })
    expect(new Set(config.sources.values())).toEqual(new Set(['default']))
    expect(config.warnings).toEqual([])
  })

  test('a later source overrides an earlier one', () => {
    const key = 'AppOptions__AuthenticatorIssuerName'
    const issuer = (env: Record<string, string>, defaults = {}) => {
      const config = load(env, { defaults })
      return [config.appOptions.authenticatorIssuerName, config.sources.get(key)]
    }
    expect(issuer({})).toEqual(['Service', 'default'])
    expect(issuer({}, { [key]: 'host' })).toEqual(['host', 'default'])
    write('appsettings.json', { AppOptions: { AuthenticatorIssuerName: 'file' } })
    expect(issuer({}, { [key]: 'host' })).toEqual(['file', 'file'])
    expect(issuer({ [key]: 'bare' })).toEqual(['bare', 'environment'])
    expect(issuer({ [key]: 'bare', [`Service_${key}`]: 'prefixed' })).toEqual(['prefixed', 'environment'])
    write(`secrets/${key}`, 'secret\n')
    expect(issuer({ [`Service_${key}`]: 'prefixed' })).toEqual(['prefixed', 'environment'])
    const withSecrets = { [`Service_${key}`]: 'prefixed', AppOptions__EnableDockerSecrets: 'TRUE' }
    expect(issuer(withSecrets)).toEqual(['secret', 'secrets directory'])
    write(`secrets/Service_${key}`, 'prefixed secret')
    expect(issuer(withSecrets)).toEqual(['prefixed secret', 'secrets directory'])
  })

  test('an empty value counts as not given', () => {
    write('appsettings.json', { Urls: 'http://127.0.0.1:7000', AppOptions: { SmtpHost: null } })
    const config = load({ Service_Urls: '', Service_AppOptions__SmtpPort: '', PORT: '' })
    expect(config.urls).toEqual([{ scheme: 'http', host: '127.0.0.1', port: 7000 }])
    expect(config.appOptions.smtpPort).toBe(587)
    expect(config.sources.get('Urls')).toBe('file')
  })

  test('the settings file may nest by objects or colons, in any letter case, with a byte order mark', () => {
    write(
      'appsettings.json',
      '\uFEFF{"appoptions":{"ENABLECORS":true,"SmtpPort":25},"AppOptions:SmtpHost":"mail","Logging":{"LogLevel":{"Default":"Debug","My.Part":"error"}}}',
    )
    const config = load()
    expect(config.appOptions).toMatchObject({ enableCors: true, smtpPort: 25, smtpHost: 'mail' })
    expect(config.logging.logLevel).toEqual({ default: 'Debug', 'my.part': 'Error' })
    expect(config.settingsFile).toBe(join(folder, 'appsettings.json'))
  })

  test('a file named on the command line overrides one from the environment, and a named file must exist', () => {
    write('a.json', { Branding: { BrandName: 'A' } })
    write('b.json', { Branding: { BrandName: 'B' } })
    expect(load({ Service_ConfigFile: 'a.json' }).branding.brandName).toBe('A')
    expect(load({ Service_ConfigFile: 'a.json' }, { configFile: 'b.json' }).branding.brandName).toBe('B')
    expect(errorOf({ Service_ConfigFile: 'none.json' }).problems).toEqual([
      { key: 'ConfigFile', source: join(folder, 'none.json'), message: 'names a file that does not exist' },
    ])
  })

  test('list items are given by index, from any source, and gaps are closed', () => {
    write('appsettings.json', { AppOptions: { KnownProxies: ['10.0.0.1', '10.0.0.2'] } })
    const config = load({
      Service_AppOptions__KnownProxies__0: 'fd00::1',
      service_appoptions__knownproxies__10: '10.0.0.10',
      Service_AppOptions__KnownProxies__5: '10.0.0.5',
    })
    expect(config.appOptions.knownProxies).toEqual(['fd00::1', '10.0.0.2', '10.0.0.5', '10.0.0.10'])
    expect(config.sources.get('AppOptions__KnownProxies')).toBe('environment')
  })

  test('unrelated files in the secrets directory are ignored', () => {
    write('secrets/registry-password', 'x')
    mkdirSync(join(folder, 'secrets', 'Branding__BrandName'))
    write('secrets/AppOptions__SmtpPassword', 'p\r\n')
    const config = load({ Service_AppOptions__EnableDockerSecrets: 'true', Service_AppOptions__SmtpUserName: 'u' })
    expect(config.appOptions.smtpPassword).toBe('p')
    expect(config.branding.brandName).toBe('Farhand')
    expect(config.warnings).toEqual([])
  })

  test('a change of the environment that was read does not change that of the process', () => {
    const env = environment()
    env['Service_Urls'] = 'http://127.0.0.1:1'
    expect(environment()['Service_Urls']).not.toBe('http://127.0.0.1:1')
  })
})

describe('values', () => {
  test.each([
    ['http://127.0.0.1:0', [{ scheme: 'http', host: '127.0.0.1', port: 0 }]],
    ['https://[::]:5121', [{ scheme: 'https', host: '::', port: 5121 }]],
    ['http://*:80; HTTPS://+', [{ scheme: 'http', host: '*', port: 80 }, { scheme: 'https', host: '*', port: 443 }]], // prettier-ignore
    ['http://localhost:5120/;', [{ scheme: 'http', host: 'localhost', port: 5120 }]],
  ])('Urls=%s', (text, expected) => {
    expect(load({ Service_Urls: text }).urls).toEqual(expected)
  })

  test.each(['127.0.0.1:5120', 'ftp://a', 'http://a/path', 'http://a:99999', 'http://u@a', ';', 'http://'])(
    'Urls=%s is rejected',
    (text) => {
      expect(errorOf({ Service_Urls: text }).problems).toMatchObject([{ key: 'Urls' }])
    },
  )

  test('PORT listens on loopback only; Urls of the same or a later source overrides it', () => {
    const loopback = [{ scheme: 'http', host: '127.0.0.1', port: 81 }]
    const urls = [{ scheme: 'http', host: '10.0.0.1', port: 82 }]
    write('appsettings.json', { Urls: 'http://10.0.0.1:82' })
    expect(load({ PORT: '81' }).urls).toEqual(loopback)
    expect(load({ PORT: '81', URLS: 'http://10.0.0.1:82' }).urls).toEqual(urls)
    expect(load({ Service_PORT: '81', URLS: 'http://10.0.0.2' }).urls).toEqual(loopback)
    expect(load({ PORT: '81', Service_Urls: 'http://10.0.0.1:82' }).urls).toEqual(urls)
  })

  test.each([
    ['00:00:30', 30_000],
    ['23:59:59', 86_399_000],
    ['7.01:00:00', 608_400_000],
    ['', undefined],
  ])('AgentClockSkewTolerance=%s', (text, expected) => {
    expect(load({ Service_AppOptions__AgentClockSkewTolerance: text }).appOptions.agentClockSkewToleranceMs).toBe(
      expected,
    )
  })

  test('invalid values of every type are rejected', () => {
    const refused = {
      AppOptions__AgentClockSkewTolerance: ['60', '24:00:00', '-00:01:00', '00:60:00'],
      AppOptions__EnableCors: ['yes', '1', 'constructor'],
      AppOptions__SmtpPort: ['0', '65536', '1.5', '0x10', '1e3'],
      AppOptions__MaxFileTransferSize: ['9007199254740992', '100MB'],
      AppOptions__DefaultThemeMode: ['Blue'],
      AppOptions__KnownProxies__0: ['localhost', '10.0.0.0/8'],
      AppOptions__KnownNetworks__0: ['10.0.0.1', '10.0.0.0/33', '::/129', '10.0.0.0/8/8'],
      AppOptions__CorsAllowedOrigins__0: ['*', 'app.example.org', 'https://a/b'],
      Branding__PublicUrl: ['farhand.example.org', 'ftp://a', 'https://a/?q', 'https://a/#f'],
      Bootstrap__ServerServiceAccountId: ['1', '3f2504e0-4f89-41d3-9a0c'],
      Environment: ['Staging'],
      PORT: ['-1', '70000'],
      Logging__LogLevel__Default: ['Loud'],
    }
    for (const [key, texts] of Object.entries(refused)) {
      for (const text of texts) {
        expect(errorOf({ [`Service_${key}`]: text }).problems.map((problem) => problem.key.toLowerCase())).toEqual([
          key.toLowerCase(),
        ])
      }
    }
  })

  test('addresses and enums are normalized to one spelling', () => {
    const config = load({
      Service_Branding__PublicUrl: 'https://Farhand.Example.org/app/',
      Service_AppOptions__CorsAllowedOrigins__0: 'https://app.example.org/',
      Service_AppOptions__IdentityProviderAKind: 'GITHUB',
      ENVIRONMENT: 'development',
      Service_AllowedHosts: 'a.example; b.example',
    })
    expect(config.branding.publicUrl).toBe('https://farhand.example.org/app')
    expect(config.appOptions.corsAllowedOrigins).toEqual(['https://app.example.org'])
    expect(config.appOptions.identityProviderAKind).toBe('GitHub')
    expect(config.environment).toBe('Development')
    expect(config.allowedHosts).toEqual(['a.example', 'b.example'])
  })

  test('an invalid telemetry address causes a warning and does not stop the start', () => {
    expect(load({ Service_OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }).warnings).toContain(
      'environment variable Service_OTEL_EXPORTER_OTLP_ENDPOINT does not begin with http:// or https://, as in http://localhost:4317: no telemetry is exported to it.',
    )
  })
})

describe('problems', () => {
  test('are all listed, each with its key, its source and the allowed values', () => {
    const file = write('appsettings.json', {
      AppOptions: { EnableCors: 'maybe', KnownProxies: { 0: 'x' }, SmtpPort: { a: 1 } },
    })
    const error = errorOf({
      Service_Urls: 'nowhere',
      Service_AppOptions: 'x',
      Service_AppOptions__CorsAllowedOrigins: 'a',
    })
    expect(error.message).toBe(
      [
        'The configuration has 6 problems:',
        `  AppOptions__SmtpPort takes one value, not nested ones ("AppOptions:SmtpPort:a" in ${file})`,
        '  AppOptions is a group of keys and takes no value itself (environment variable Service_AppOptions)',
        '  AppOptions__CorsAllowedOrigins is a list: give its items as AppOptions__CorsAllowedOrigins__0, AppOptions__CorsAllowedOrigins__1 (environment variable Service_AppOptions__CorsAllowedOrigins)',
        '  Urls must be addresses such as http://127.0.0.1:5120 with ; between them, each http or https, host and port only, but is "nowhere" (environment variable Service_Urls)',
        `  AppOptions__EnableCors must be true or false, but is "maybe" ("AppOptions:EnableCors" in ${file})`,
        `  AppOptions__KnownProxies__0 must be an IP address such as 10.0.0.1 or fd00::1, but is "x" ("AppOptions:KnownProxies:0" in ${file})`,
      ].join('\n'),
    )
  })

  test('a partial bootstrap stops the start', () => {
    const keysFor = (env: Record<string, string>) => errorOf(env).problems.map(({ key }) => key)
    const account = 'Bootstrap__ServerServiceAccount'
    expect(keysFor({ [`Service_${account}Name`]: 'ci' })).toEqual([`${account}TokenId`, `${account}TokenSecret`])
    expect(keysFor({ Bootstrap__AdminEmail: 'a@b.c' })).toEqual(['Bootstrap__AdminPassword'])
    expect(keysFor({ Bootstrap__AdminPatSecret: 'x'.repeat(32) })).toEqual(['Bootstrap__AdminPatTokenId'])
    expect(load({ [`${account}Description`]: 'only this' }).bootstrap.serverServiceAccountDescription).toBe('only this')
    expect(
      load({
        [`${account}Name`]: 'ci',
        [`${account}TokenId`]: '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
        [`${account}TokenSecret`]: 'x'.repeat(32),
      }).bootstrap,
    ).toMatchObject({ serverServiceAccountTokenId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' })
  })

  test.each([['AppOptions__UseInMemoryDatabase', 'true', 'a data folder on a memory disk is volatile, too']])(
    '%s stops the start: it is not offered and must not look as if it were',
    (name, value, instead) => {
      const { problems, message } = errorOf({ [name]: value })
      const key = name.replace('Service_', '')
      const origin = `environment variable ${name}`
      expect(problems).toEqual([{ key, source: origin, message: `is not offered: remove it. Without it, ${instead}` }])
      expect(message).not.toContain('hidden')
    },
  )

  test('the check of revoked certificates, which is on in the interface, is accepted with a warning', () => {
    const variable = 'Service_AppOptions__SmtpCheckCertificateRevocation'
    expect(load({ [variable]: 'true' }).warnings).toEqual([
      `environment variable ${variable} is not offered and has no effect: certificates of mail servers are checked, but no lists of revoked ones.`,
    ])
    expect(load({ [variable]: 'false' }).warnings).toEqual([])
  })

  test('encryption of keys without a certificate stops the start', () => {
    expect(errorOf({ KeyProtectionOptions__EncryptKeys: 'true' }).problems).toMatchObject([
      { key: 'KeyProtectionOptions__EncryptKeys' },
    ])
    expect(load({ KeyProtectionOptions__EncryptKeys: 'false' }).keyProtectionOptions.encryptKeys).toBe(false)
  })

  test('an invalid secret is never printed', () => {
    const short = 'hunter2-is-short'
    write('appsettings.json', `{"AppOptions":{"SmtpPassword":"${short}"`)
    const errors = [
      errorOf({ Bootstrap__ServerServiceAccountTokenSecret: short, Bootstrap__AdminPassword: short }),
      errorOf({ Service_Bootstrap__AdminPatSecret: short, Service_BOOTSTRAP__ADMINPATSECRET: `${short}2` }),
      errorOf({ Service_AppOptions__SmtpPassword__x: short }),
      errorOf({ Branding__PublicUrl: `https://user:${short}@farhand.example.org` }),
    ]
    for (const error of errors) {
      expect(error.message).not.toContain(short)
    }
    expect(errors[0]?.message).toContain(
      'Bootstrap__ServerServiceAccountTokenSecret must be at least 32 characters long',
    )
    expect(errors[0]?.message).toContain('is not valid JSON')
    write('appsettings.json', { AppOptions: { SmtpPasword: short } })
    const { warnings } = load({ Service_AppOptions__SmtpUser: short })
    expect(warnings).toHaveLength(2)
    expect(warnings.join()).not.toContain(short)
  })

  test('the same key twice in one source, with different values, is ambiguous', () => {
    expect(errorOf({ Service_Urls: 'http://a', SERVICE_URLS: 'http://b' }).problems).toEqual([
      {
        key: 'Urls',
        source: 'environment variable SERVICE_URLS',
        message: 'is given twice with different values, also as environment variable Service_Urls',
      },
    ])
  })

  test('the same key twice is also ambiguous when only the prefix differs', () => {
    expect(errorOf({ Service_Urls: 'http://a', service_Urls: 'http://b' }).problems).toMatchObject([
      { key: 'Urls', message: expect.stringContaining('is given twice with different values') },
    ])
  })

  test('a settings file that is not an object and a missing secrets directory are rejected', () => {
    write('appsettings.json', '[1]')
    expect(errorOf({ AppOptions__EnableDockerSecrets: 'true' }).problems).toEqual([
      { key: 'ConfigFile', source: join(folder, 'appsettings.json'), message: 'must hold one JSON object' },
      {
        key: 'AppOptions__EnableDockerSecrets',
        source: join(folder, 'secrets'),
        message: 'cannot be read (ENOENT)',
      },
    ])
  })
})

describe('warnings', () => {
  test.each([
    ['Service_AppOptions__EnabelCors', 'AppOptions__EnableCors'],
    ['Service_EnablePublicRegistration', 'AppOptions__EnablePublicRegistration'],
    ['SERVICE_APPOPTIONS_ENABLECORS', 'AppOptions__EnableCors'],
    ['Service_Url', 'Urls'],
  ])('the unknown key %s is reported with the suggestion %s', (name, key) => {
    expect(load({ [name]: 'x' }).warnings).toEqual([
      `environment variable ${name} is not a known key; did you mean ${key}?`,
    ])
  })

  test('a key unlike every setting gets no suggestion, and unrelated environment variables no warning', () => {
    expect(load({ Service_SomethingElseEntirely: 'x', EnabelCors: 'true', PATH: '/bin' }).warnings).toEqual([
      'environment variable Service_SomethingElseEntirely is not a known key.',
    ])
  })

  test('half of a pair of settings causes a warning', () => {
    expect(load({ AppOptions__SmtpUserName: 'u' }).warnings).toHaveLength(1)
  })
})

describe('the command line', () => {
  test('its options are read', () => {
    const none = { help: false, version: false, configFile: undefined, env: {}, asService: false }
    expect(parseArguments([])).toEqual(none)
    expect(parseArguments(['--headless', '--config', 'a.json'])).toEqual({ ...none, configFile: 'a.json' })
    expect(parseArguments(['--config=a.json', '--help'])).toEqual({ ...none, configFile: 'a.json', help: true })
    const env = { Service_Urls: 'http://a/?b=c', X: '' }
    expect(parseArguments(['--as-service', '--env=Service_Urls=http://a/?b=c', '--env=X='])).toEqual({
      ...none,
      env,
      asService: true,
    })
  })

  test('an invalid option and an unknown command are rejected', () => {
    expect(() => parseArguments(['--port', 'status', '--config'])).toThrow(
      [
        'The configuration has 3 problems:',
        '  --port is not an option; --help lists them (command line)',
        '  status is no command; --help lists them (command line)',
        '  --config needs the name of a file (command line)',
      ].join('\n'),
    )
  })
})

test('docs/configuration.md is up to date: run `npm run documents` after changing a key', async () => {
  const page = join(import.meta.dirname, '../../../docs/configuration.md')
  expect(readFileSync(page, 'utf8')).toBe(await configurationFile())
})
