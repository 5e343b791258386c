import { z } from 'zod'
import { dto, fileBytes, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  AddressTestDto,
  FirewallDto,
  NetworkDto,
  NetworkSettingsDto,
  NetworkTrustDto,
  NetworkVisitDto,
  NetworkVisitReportDto,
} from '../dtos/network.ts'

const administrator = { permission: 'server.settings.write', on: 'server' } as const

/** How other computers reach this appliance, and verify its identity. */
export const applianceNetwork = defineRoutes('Network', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/network',
    summary: 'How this server is reached: settings, addresses, certificate and fingerprint',
    access: administrator,
    tenant: 'none',
    response: NetworkDto,
  },
  set: {
    method: 'PUT',
    path: '/api/appliance/v1/network',
    summary: 'Serve the network or stop serving it; works at once',
    description:
      'Nothing changes unless all of it can be done. Open connections end when the network is closed. Names need `server.permissions.write` besides: mailed links begin with the first one.',
    problems: { 409: 'The port is taken, or the configuration decides it.' },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    body: NetworkSettingsDto,
    response: NetworkDto,
  },
  setCertificate: {
    method: 'PUT',
    path: '/api/appliance/v1/network/certificate',
    summary: 'Show a certificate of one’s own instead of one by this server’s authority',
    problems: { 409: 'The configuration names a certificate.' },
    access: administrator,
    tenant: 'none',
    recentProof: true,
    body: z
      .object({
        pem: z.string().max(100_000).nullish().describe('Certificates, the server’s own first, and its key.'),
        pfx: z.base64().max(100_000).nullish().describe('The same in one PFX file.'),
        password: z.string().max(500).nullish().describe('Of the key or the file, where it has one.'),
      })
      .refine(({ pem, pfx }) => Boolean(pem) !== Boolean(pfx), { message: 'pem or pfx is needed, and not both' })
      .meta({
        id: 'OwnCertificateDto',
        examples: [{ pem: '-----BEGIN CERTIFICATE-----\n…\n-----END PRIVATE KEY-----\n', pfx: null, password: null }],
      }),
    response: NetworkDto,
  },
  removeCertificate: {
    method: 'DELETE',
    path: '/api/appliance/v1/network/certificate',
    summary: 'Forget the certificate of one’s own and show one by this server’s authority again',
    problems: { 409: 'The configuration names a certificate.' },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    response: NetworkDto,
  },
  firewall: {
    method: 'GET',
    path: '/api/appliance/v1/network/firewall',
    summary: 'The command that lets other computers through the firewall of this machine',
    access: administrator,
    tenant: 'none',
    response: FirewallDto,
  },
  test: {
    method: 'POST',
    path: '/api/appliance/v1/network/tests',
    summary: 'Call this server at each of its addresses and check that it answers with its certificate',
    access: administrator,
    tenant: 'none',
    response: listDto(
      'AddressTestListDto',
      AddressTestDto,
      'One result for each address that the server is reached at.',
    ),
  },
  askDevice: {
    method: 'POST',
    path: '/api/appliance/v1/network/visits',
    summary: 'Make a code with which one other device can say that it reaches this server',
    access: administrator,
    tenant: 'none',
    response: NetworkVisitDto,
    status: 201,
  },
  visit: {
    method: 'GET',
    path: '/api/appliance/v1/network/visits/:visitId',
    summary: 'What the other device reported, if it has',
    problems: { 404: 'The code has expired.' },
    access: administrator,
    tenant: 'none',
    params: z.object({ visitId: id.describe('The question, by the `id` in the answer that made the code.') }),
    response: dto('NetworkVisitStateDto', {
      report: NetworkVisitReportDto.nullable().describe('What the device reported; null until it does.'),
    }),
  },
  reportVisit: {
    method: 'POST',
    path: '/api/appliance/v1/network/visit-reports',
    summary: 'Say with a code that this device reaches the server; a code is good for one report',
    problems: { 404: 'The code is unknown, used or expired.' },
    access: 'anonymous',
    tenant: 'none',
    limitedAttempts: 'all',
    body: dto('ReportNetworkVisitDto', {
      code: z.string().max(40).describe('The code that the person read from the page; spaces and case do not count.'),
      address: z.string().max(300).describe('Origin that the device called, as it says.'),
      browser: z.string().max(500).describe('What its browser calls itself.'),
    }),
  },
  trust: {
    method: 'GET',
    path: '/api/appliance/v1/network/trust',
    summary: 'What a browser or a person needs to know before they trust this server',
    access: 'anonymous',
    tenant: 'none',
    response: NetworkTrustDto,
  },
  authority: {
    method: 'GET',
    path: '/api/appliance/v1/network/authority',
    summary: 'Certificate of this server’s authority, PEM',
    access: 'anonymous',
    tenant: 'none',
    content: 'stream',
    mediaType: 'application/x-pem-file',
    response: fileBytes,
  },
  authorityFile: {
    method: 'GET',
    path: '/api/appliance/v1/network/authority/certificate',
    summary: 'The same as a .crt file, DER',
    access: 'anonymous',
    tenant: 'none',
    content: 'stream',
    mediaType: 'application/x-x509-ca-cert',
    response: fileBytes,
  },
  authorityProfile: {
    method: 'GET',
    path: '/api/appliance/v1/network/authority/profile',
    summary: 'The same as a configuration profile for Apple’s systems',
    access: 'anonymous',
    tenant: 'none',
    content: 'stream',
    mediaType: 'application/x-apple-aspen-config',
    response: fileBytes,
  },
})
