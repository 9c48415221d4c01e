declare module '*/views/folder_and_card.js' {
  import type { Frame } from './messages'
  interface Shown {
    frames: Frame[]
    at: number
    controls: boolean
    busy: boolean
    canNext: boolean
  }
  type Act = 'next' | 'back' | 'reset' | 'play' | 'stop' | 'goto'
  export function mount(
    el: HTMLElement,
    act: (name: Act, value?: number) => void,
  ): { update(changes: Partial<Shown>): void; destroy(): void }
}
