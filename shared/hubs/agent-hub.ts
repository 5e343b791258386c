import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineHub } from '../contract/hub.ts'
import { DeviceResponseDto, DeviceUpdateRequestDto, SignedDeviceUpdateDto } from '../dtos/device.ts'
import { hubResultOf } from '../dtos/hub-result.ts'
import { TerminalInputDto, TerminalOutputDto, TerminalSessionResult } from '../dtos/terminal.ts'

/** The hub of device agents. The connection is anonymous: an accepted update proves which device it speaks for. */
export const agentHub = defineHub({
  path: '/hubs/agent',
  access: 'anonymous',
  methods: {
    UpdateDevice: { access: 'anonymous', args: [DeviceUpdateRequestDto], returns: hubResultOf(DeviceResponseDto) },
    UpdateDeviceSigned: { access: 'anonymous', args: [SignedDeviceUpdateDto], returns: hubResultOf(DeviceResponseDto) },
    SendTerminalOutputToViewer: { access: 'agent', args: [z.string(), TerminalOutputDto] },
  },
  client: {
    CreateTerminalSession: { args: [id, z.string()], returns: TerminalSessionResult },
    ReceiveTerminalInput: { args: [TerminalInputDto], returns: TerminalSessionResult },
    CloseTerminalSession: { args: [id] },
    RefreshDeviceInfo: { args: [] },
    UninstallAgent: { args: [z.string()] },
  },
})
