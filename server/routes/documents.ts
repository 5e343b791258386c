import { api } from '../../shared/api/index.ts'
import { openApiDocument } from '../http/openapi.ts'

/** The interface descriptions that are published, by path; each is made when it is asked for. */
export function openApiDocuments(version: string): Record<string, () => unknown> {
  const document = (title: string, description: string, groups: (typeof api)[keyof typeof api]) => () =>
    openApiDocument({ title, version, description }, Object.values(groups))
  return {
    '/openapi/v1.json': document('Farhand', 'The stable interface for integrations.', api.v1),
    '/openapi/appliance.json': document('Farhand appliance', 'What the window of the appliance needs.', api.appliance),
  }
}
