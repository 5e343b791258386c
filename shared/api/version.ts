import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'

const version = z.string().meta({ description: '2 to 4 numbers with dots', examples: ['1.2.3.0'] })
const open = { method: 'GET', access: 'anonymous', tenant: 'none', cacheSeconds: 60 } as const

export const versions = defineRoutes('Version', {
  agent: {
    ...open,
    path: '/api/v1/version/agent',
    summary: 'Version of the agent that this server offers',
    problems: { 404: 'This server offers no agent.' },
    response: version,
  },
  server: { ...open, path: '/api/v1/version/server', summary: 'Version of this server', response: version },
  releaseNotes: {
    ...open,
    path: '/api/v1/version/release-notes',
    summary: 'What is new, as Markdown',
    problems: { 404: 'There are no release notes.' },
    response: z.string(),
    content: 'text',
  },
})
