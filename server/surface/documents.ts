import { api } from '../../shared/api/index.ts'
import type { RouteGroup } from '../../shared/contract/route.ts'
import { cookieName } from '../credentials/cookie.ts'
import { openApiDocument } from '../engines/http/contract/document.ts'
import { namedExamples, tagDescriptions } from './document-texts.ts'
import { internalAliases } from './internal-aliases.ts'

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Key of a service account: `{credential id in hex}:{secret}`, as it was shown when it was made.',
  },
  personalToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-personal-token',
    description: 'Personal access token; acts as the user who owns it.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Access token of `POST /api/auth/interactive-login`, where that is switched on.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: `${cookieName}.5120`,
    description: 'Session of the web interface. The name ends in the port that the server listens on.',
  },
}

interface PublishedDocument {
  title: string
  description: string
  groups: readonly RouteGroup[]
}

const published: Record<string, PublishedDocument> = {
  '/openapi/v1.json': {
    title: 'Farhand',
    description:
      'The stable interface for integrations. A service account sends its key in `x-api-key`. Most routes ask for ' +
      '`tenantId`: a server service account may name any tenant, everybody else only its own. Lists come as ' +
      '`{ "items": [...] }`, failures as RFC 9457 problem details. Member names of bodies are read in any letter case, ' +
      'unknown members are ignored; timestamps are ISO 8601 and written in UTC.',
    groups: Object.values(api.v1),
  },
  '/openapi/internal.json': {
    title: 'Farhand, deprecated interface',
    description:
      'What older clients use under `/api`; each deprecated operation names the V1 route to use instead. The tenant is ' +
      'that of the caller, lists are bare arrays, and a 401 or 403 has no body.',
    groups: [...Object.values(api.internal), ...internalAliases.map(({ group }) => group)],
  },
  '/openapi/agent.json': {
    title: 'Farhand for agents',
    description:
      'What a device agent calls over HTTP: it registers with an installer key, and asks where its program is. The rest is the hub for agents.',
    groups: Object.values(api.agent),
  },
  '/openapi/appliance.json': {
    title: 'Farhand appliance',
    description: 'What the window of the appliance needs beyond the interface for integrations.',
    groups: Object.values(api.appliance),
  },
}

/** Published interface descriptions by path, built on request. */
export function openApiDocuments(version: string): Record<string, () => unknown> {
  const entries = Object.entries(published).map(([path, { title, description, groups }]) => {
    const info = {
      title,
      version,
      description,
      contact: { name: 'Farhand' },
      license: { name: 'MIT', identifier: 'MIT' },
    }
    const options = { info, tags: tagDescriptions, securitySchemes, examples: namedExamples }
    return [path, () => openApiDocument(options, groups)] as const
  })
  return Object.fromEntries(entries)
}
