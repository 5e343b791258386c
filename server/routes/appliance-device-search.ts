import { applianceDeviceSearch } from '../../shared/api/appliance-device-search.ts'
import { keepJson } from '../json.ts'
import { facetsOf } from '../services/devices/device-facets.ts'
import { compileQuery, requestOf } from '../services/devices/device-query.ts'
import { searchPresented } from './devices.ts'
import { implement } from './implement.ts'

export const applianceDeviceSearchRoutes = implement(applianceDeviceSearch, {
  find: async (call, { devices, body: { query, ...page } }) => {
    const { text, tests, problems } = await compileQuery(call, query)
    const { hiddenUntaggedDevices: _, ...answer } = await searchPresented(
      call,
      devices,
      requestOf(text, page),
      tests.map(({ test }) => test),
    )
    return keepJson({ ...answer, problems })
  },
  facets: (call, { devices, body }) => facetsOf(call, devices, body.query),
})
