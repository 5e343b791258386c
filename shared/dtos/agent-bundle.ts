import { z } from 'zod'
import { dto } from '../contract/fields.ts'

/** Names that agents use in paths, by the runtime identifier used for folders and in JSON. */
export const runtimes = {
  'win-x86': 'WinX86',
  'win-x64': 'WinX64',
  'osx-arm64': 'MacOsArm64',
  'osx-x64': 'MacOsX64',
  'linux-x64': 'LinuxX64',
  'linux-arm64': 'LinuxArm64',
} as const
export const RuntimeId = z
  .enum(['win-x86', 'win-x64', 'osx-arm64', 'osx-x64', 'linux-x64', 'linux-arm64'])
  .meta({ id: 'RuntimeId' })
export type RuntimeId = z.output<typeof RuntimeId>

export const SignedAgentReleaseDto = dto('SignedAgentReleaseDto', {
  statement: z.base64().max(2000).describe('JSON of the statement: exactly the bytes that are signed.'),
  signature: z.base64().max(100).describe('Ed25519, by the release key of the server.'),
})

/** Address of an agent's program, with hashes to verify it. */
export const AgentBundleMetadataDto = dto('AgentBundleMetadataDto', {
  brandName: z.string().describe('Name of the product.'),
  publisher: z.string().describe('Maker of the product.'),
  runtime: RuntimeId.describe('System and processor that the bundle is for.'),
  version: z.string().describe('Version of the agent, 2 to 4 numbers with dots.'),
  bundleDownloadUrl: z.string().describe('Path on this server.'),
  bundleSha256: z.string().describe('64 upper-case hex digits.'),
  installerDownloadUrl: z.string().describe('Path of the installer on this server.'),
  installerSha256: z.string().describe('64 upper-case hex digits.'),
  release: SignedAgentReleaseDto.optional().describe(
    'What agents of this server check before they start the installer; others ignore it.',
  ),
})
export type AgentBundleMetadataDto = z.output<typeof AgentBundleMetadataDto>
