import { applianceDeviceNotes } from '../../shared/api/appliance-device-notes.ts'
import { applianceDevices } from '../../shared/api/appliance-devices.ts'
import { devices } from '../../shared/api/devices.ts'
import { deviceAgent } from '../agents/device-agent.ts'
import { keepMachine } from '../agents/two-machines.ts'
import type { OpenCall } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { removeDevice, removePermittedDevices, setDeviceAlias } from './devices.ts'
import { searchPresented } from '../fleet/present.ts'
import { badRequest } from '../ground/errors.ts'
import { keepJson } from '../ground/json.ts'
import { groupsOf } from '../organization/groups.ts'
import { desktopSessions } from '../remote/desktop-sessions.ts'
import { presentTerminal } from '../remote/terminals/present.ts'
import { terminalsOf } from '../remote/terminals/terminals.ts'
import { absenceOf } from './absence.ts'
import { dismissStranger } from './absence-evidence.ts'
import { changePowerVariant } from './device-commands.ts'
import { loadOf } from './recent-load.ts'
import { readNotePicture, setNotePicture } from './note-pictures.ts'
import { addNote, deleteNote, editNote, listNotes } from './notes.ts'
import { devicePresenter, presentDevice, presentDeviceSummary } from '../fleet/present-device.ts'
import { cancelPowerOrder, orderPower, powerOrderOf } from './power-orders.ts'
import { presentDeviceNote, presentDevicePower, presentPowerOrder } from './present.ts'
import { devicePermissionsOf, deviceRight } from '../fleet/rights.ts'

const present = ({ app }: OpenCall, device: DeviceState) => presentDevice(device, app.agentRelease.version)

export const deviceRoutes = implement(devices, {
  list: (call, input) => input.devices.encoded(devicePresenter(call.app.agentRelease.version)),
  summary: (_, input) => input.devices.encoded(presentDeviceSummary),
  search: async (call, input) => {
    const { hiddenUntaggedDevices: _, ...answer } = await searchPresented(call, input.devices, input.body)
    return keepJson(answer)
  },
  get: (call, { device }) => present(call, device),
  desktopSessions: async (call, { device }) => ({ items: await desktopSessions(call, device) }),
  setAlias: async (call, { device, body }) => {
    if (body.deviceId !== undefined && body.deviceId !== device.id) {
      throw badRequest('Device ID mismatch.')
    }
    return present(call, await setDeviceAlias(call, device, body.alias))
  },
  delete: (call, { device }) => removeDevice(call, device.id),
  deleteMany: (call, input) => removePermittedDevices(call, input.body.deviceIds),
})

export const applianceDeviceRoutes = implement(applianceDevices, {
  permissions: ({ app, principal }, { device }) => ({ items: devicePermissionsOf(app, principal, device) }),
  permitted: ({ app, principal }, { devices, body: { permission, deviceIds } }) => {
    const isAllowed = deviceRight(app, principal, permission)
    return {
      deviceIds: deviceIds.filter((id) => {
        const device = devices.get(id)
        return device !== undefined && isAllowed(device)
      }),
    }
  },
  agents: ({ app }, { devices, body: { deviceIds } }) => ({
    items: deviceIds.flatMap((id) => {
      const device = devices.get(id)
      return device ? deviceAgent(app, device) : []
    }),
  }),
  absence: (call, { device }) => absenceOf(call, device),
  dismissWrongIdentity: (call, { device, body }) => dismissStranger(call, device, Date.parse(body.at)),
  keepMachine: (call, { device, body }) => keepMachine(call, device, body.machineId),
  load: ({ app }, { device }) => loadOf(app, device),
  groups: async (call, { device }) => ({ items: await groupsOf(call, device) }),
  changePower: (call, { device, body }) => changePowerVariant(call, device, body.change),
  power: async ({ app }, { device }) =>
    presentDevicePower(app.powerStates.stateOf(device.connectionId), await powerOrderOf(app, device)),
  orderPower: async (call, { device, body }) => presentPowerOrder(await orderPower(call, device, body)),
  cancelPower: (call, { device }) => cancelPowerOrder(call, device),
  terminals: (call, { device }) => ({ items: terminalsOf(call, device).map(presentTerminal) }),
})

export const applianceDeviceNoteRoutes = implement(applianceDeviceNotes, {
  list: async (call, { device }) => ({ items: (await listNotes(call, device)).map(presentDeviceNote) }),
  add: async (call, { device, body }) => presentDeviceNote(await addNote(call, device, body.text)),
  edit: async (call, { device, params, body }) =>
    presentDeviceNote(await editNote(call, device, params.noteId, body.text)),
  setPicture: async (call, { device, params, body }) =>
    presentDeviceNote(await setNotePicture(call, device, params.noteId, body)),
  picture: (call, { device, params }) => readNotePicture(call, device, params.noteId),
  delete: (call, { device, params }) => deleteNote(call, device, params.noteId),
})
