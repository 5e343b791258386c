/** Manifests of the agent's MSI package for winget, by version 1.6 of its schema. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packageUpgradeCode } from '../../shared/agent-package.ts'

const packageId = 'Farhand.Agent'
const manifestVersion = '1.6.0'

interface Package {
  version: string
  /** Address that the package will have. */
  url: string
  sha256: string
  license: string
}

/** Content of the three manifests, by file name. */
function wingetManifests({ version, url, sha256, license }: Package): Record<string, object> {
  const of = (type: string, content: object) => ({
    PackageIdentifier: packageId,
    PackageVersion: version,
    ...content,
    ManifestType: type,
    ManifestVersion: manifestVersion,
  })
  return {
    [`${packageId}.yaml`]: of('version', { DefaultLocale: 'en-US' }),
    [`${packageId}.locale.en-US.yaml`]: of('defaultLocale', {
      PackageLocale: 'en-US',
      Publisher: 'Farhand',
      PackageName: 'Farhand agent',
      License: license,
      ShortDescription: 'Makes a device reachable through a Farhand server.',
      InstallationNotes:
        'Install it with the properties of the command on the Deploy page of your server: winget install Farhand.Agent --custom "SERVER=... PIN=... TENANT=... KEYID=... KEYSECRET=..."',
    }),
    [`${packageId}.installer.yaml`]: of('installer', {
      InstallerType: 'wix',
      Scope: 'machine',
      ElevationRequirement: 'elevatesSelf',
      InstallModes: ['silent'],
      UpgradeBehavior: 'install',
      UnsupportedArguments: ['location'],
      Installers: [
        {
          Architecture: 'x64',
          InstallerUrl: url,
          InstallerSha256: sha256.toUpperCase(),
          // The entry that the agent itself makes under "Apps".
          AppsAndFeaturesEntries: [
            {
              DisplayName: 'Farhand agent',
              Publisher: 'Farhand',
              DisplayVersion: version,
              ProductCode: packageId,
              UpgradeCode: packageUpgradeCode,
            },
          ],
        },
      ],
    }),
  }
}

/** Writes the manifests as JSON, which every reader of YAML takes. */
export function writeWingetManifests(folder: string, of: Package): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, manifest] of Object.entries(wingetManifests(of))) {
    writeFileSync(path.join(folder, name), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}
