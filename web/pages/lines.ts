// The lines of chat that the page has, room by room. Pure.

import type { Color } from "../board/types";
import type { ChatLine, Room } from "./protocol";

export interface Lines {
  readonly players: readonly ChatLine[];
  readonly watchers: readonly ChatLine[];
}

export const NO_LINES: Lines = { players: [], watchers: [] };

/** The lines with those that came: what is here already does not come twice, though it be sent twice. */
export function withLines(lines: Lines, room: Room, came: readonly ChatLine[]): Lines {
  const last = lastSeq(lines, room);
  return { ...lines, [room]: [...lines[room], ...came.filter(({ seq }) => seq > last)] };
}

/** The lines with one as it is now, where it is here already. */
export function withChangedLine(lines: Lines, room: Room, changed: ChatLine): Lines {
  return { ...lines, [room]: lines[room].map((line) => (line.seq === changed.seq ? changed : line)) };
}

/** The number of the last line of a room; 0 for none. */
export function lastSeq(lines: Lines, room: Room): number {
  return lines[room].at(-1)?.seq ?? 0;
}

/** What the socket's address says of the lines that are here: of the viewer's room, or of both once the game is over. */
export function saidSoFar(lines: Lines, own: Room, over: boolean): string {
  return over ? `${lastSeq(lines, "players")},${lastSeq(lines, "watchers")}` : `${lastSeq(lines, own)}`;
}

/**
 * The rooms that a viewer sees: the own one, and the other once the game is over and something was said there.
 * Where the computer plays there is no players' room, and its opponent hears the watchers only afterwards.
 */
export function roomsOf(you: Color | null, people: boolean, over: boolean, lines: Lines): Room[] {
  const own: Room = you === null ? "watchers" : "players";
  const other: Room = you === null ? "players" : "watchers";
  const rooms: Room[] = own === "players" && !people ? [] : [own];
  return over && lines[other].length > 0 ? [...rooms, other] : rooms;
}
