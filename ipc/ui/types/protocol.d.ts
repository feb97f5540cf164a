// Made from docs/openrpc.json by: go test ./ipc/ui -run ProtocolTypes -update

/** The methods, by name. */
export interface Methods {
	/** Keeps the whole published state under a description. */
	CheckpointCreate: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** what the checkpoint is called in lists */
			description: string;
		};
		result: {
			/** the checkpoint */
			checkpoint_id: string;
			/** when it was made, RFC 3339 */
			created_at: string;
			/** what it is called in lists */
			description?: string;
			/** what made the checkpoint */
			reason: "publish" | "restore" | "undo" | "manual" | "add" | "remove" | "write";
			/** what it has */
			stats: {
				/** how many files it has */
				files: number;
				/** the size of all files in bytes */
				total_bytes: number;
			};
		};
	};
	/** One checkpoint, and what restoring it would change. */
	CheckpointGet: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the checkpoint, as CheckpointList and CheckpointCreated give it */
			checkpoint_id: string;
		};
		result: {
			/** the changes */
			changes: {
				/** what happens to the file */
				change_type: "added" | "modified" | "deleted";
				/** whether the published file was changed by another program */
				changed_outside?: boolean;
				/** SHA-256 of the content after, in hexadecimal digits */
				new_hash?: string;
				/** size after, in bytes */
				new_size: number;
				/** SHA-256 of the content before, in hexadecimal digits */
				old_hash?: string;
				/** size before, in bytes */
				old_size: number;
				/** the file, relative to the workbench's root */
				path: string;
			}[] | null;
			/** the checkpoint */
			checkpoint_id: string;
			/** when it was made, RFC 3339 */
			created_at: string;
			/** what it is called in lists */
			description?: string;
			/** what made the checkpoint */
			reason: "publish" | "restore" | "undo" | "manual" | "add" | "remove" | "write";
			/** what it has */
			stats: {
				/** how many files it has */
				files: number;
				/** the size of all files in bytes */
				total_bytes: number;
			};
		};
	};
	/** Takes the published files back to a checkpoint: all or nothing, and itself restorable. */
	CheckpointRestore: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the checkpoint, as CheckpointList and CheckpointCreated give it */
			checkpoint_id: string;
		};
		result: {
			/** the checkpoint that takes the restore back; "" when nothing had to change */
			checkpoint_id: string;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** the files that were restored */
			restored: string[] | null;
		};
	};
	/** The states of the published files that can be restored, the newest first. */
	CheckpointsList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the checkpoints, the newest first */
			checkpoints: {
				/** the checkpoint */
				checkpoint_id: string;
				/** when it was made, RFC 3339 */
				created_at: string;
				/** what it is called in lists */
				description?: string;
				/** what made the checkpoint */
				reason: "publish" | "restore" | "undo" | "manual" | "add" | "remove" | "write";
				/** what it has */
				stats: {
					/** how many files it has */
					files: number;
					/** the size of all files in bytes */
					total_bytes: number;
				};
			}[] | null;
		};
	};
	/** Removes the files of a category. */
	ContextDelete: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** company-context, department-context, situation, document-style, or the name of another file of the context without .md */
			category: string;
		};
		result: {};
	};
	/** One category of the standing context with its text. */
	ContextGet: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** company-context, department-context, situation, document-style, or the name of another file of the context without .md */
			category: string;
		};
		result: {
			/** the file of the context */
			item: {
				/** the category */
				category: string;
				/** the files */
				files: {
					/** the content; ContextList leaves it out, and answers have at most 1 MiB of it */
					content?: string;
					/** the name of the file, such as company.md; "" in ContextUpdateDirect is the only one, or a new one */
					path: string;
				}[] | null;
				/** whether a person wrote it; always true when there is content */
				has_direct_edits: boolean;
				/** whether there is content that can be read */
				status: "ready" | "empty" | "unreadable";
				/** the first line with words */
				summary: string;
				/** when it last changed, RFC 3339 */
				updated_at?: string;
			};
		};
	};
	/** What the model is told in every conversation, by category, in the order in which it is told; the four common categories are there when they are empty too. */
	ContextList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the categories */
			items: {
				/** the category */
				category: string;
				/** the files */
				files: {
					/** the content; ContextList leaves it out, and answers have at most 1 MiB of it */
					content?: string;
					/** the name of the file, such as company.md; "" in ContextUpdateDirect is the only one, or a new one */
					path: string;
				}[] | null;
				/** whether a person wrote it; always true when there is content */
				has_direct_edits: boolean;
				/** whether there is content that can be read */
				status: "ready" | "empty" | "unreadable";
				/** the first line with words */
				summary: string;
				/** when it last changed, RFC 3339 */
				updated_at?: string;
			}[] | null;
		};
	};
	/** Writes files of a category, in .atelier/context of the folder; at once, not into the draft. */
	ContextUpdateDirect: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** company-context, department-context, situation, document-style, or the name of another file of the context without .md */
			category: string;
			/** the files of the category; each is written whole, the others stay */
			files: {
				/** the content; ContextList leaves it out, and answers have at most 1 MiB of it */
				content?: string;
				/** the name of the file, such as company.md; "" in ContextUpdateDirect is the only one, or a new one */
				path: string;
			}[] | null;
		};
		result: {
			/** the file of the context */
			item: {
				/** the category */
				category: string;
				/** the files */
				files: {
					/** the content; ContextList leaves it out, and answers have at most 1 MiB of it */
					content?: string;
					/** the name of the file, such as company.md; "" in ContextUpdateDirect is the only one, or a new one */
					path: string;
				}[] | null;
				/** whether a person wrote it; always true when there is content */
				has_direct_edits: boolean;
				/** whether there is content that can be read */
				status: "ready" | "empty" | "unreadable";
				/** the first line with words */
				summary: string;
				/** when it last changed, RFC 3339 */
				updated_at?: string;
			};
		};
	};
	/** Drops the draft or some paths of it, as one step that can be undone; published files stay as they are, and the model is told with its next turn. */
	DraftDiscard: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** files and folders, relative to the workbench's root; empty: all */
			paths?: string[] | null;
		};
		result: {
			/** takes the step back, with WorkshopUndoToMessage and before; absent where the draft changed nothing */
			message_id?: string;
		};
	};
	/** Whether there is a draft, and since when. */
	DraftGetState: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** when it was made, RFC 3339 */
			created_at?: string;
			/** the draft; it changes when a draft is published or discarded */
			draft_id?: string;
			/** whether there is a draft */
			has_draft: boolean;
			/** what made the draft */
			source_kind?: string;
			/** who made the draft */
			source_ref?: string;
		};
	};
	/** Publishes the draft or some paths of it: all or nothing, and only over what it was based on. */
	DraftPublish: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** files and folders, relative to the workbench's root; empty: all */
			paths?: string[] | null;
			/** publish these paths over what changed outside; what they replace is kept in the checkpoint */
			force?: string[] | null;
		};
		result: {
			/** the checkpoint */
			checkpoint_id: string;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** the files that were published, and folders that come or go empty */
			published: string[] | null;
			/** when they were published, RFC 3339 */
			published_at: string;
		};
	};
	/** Takes single changes of one file of the draft back, as one step that can be undone; the model is told with its next turn. */
	DraftRevertChanges: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** ids of items and facts of ReviewGetContentDiff, or of hunks of ReviewGetTextDiff */
			changes: string[] | null;
		};
		result: {
			/** no change is left: the file is not in the draft any more */
			dropped?: boolean;
			/** whether there is a draft */
			has_draft: boolean;
			/** SHA-256 of the content, in hexadecimal digits */
			hash?: string;
			/** takes the step back, with WorkshopUndoToMessage and before */
			message_id: string;
			/** the file, relative to the workbench's root */
			path: string;
			/** how many changes were taken back */
			reverted: number;
		};
	};
	/** Whether the workbench's documents may go to the model, and what a consent would be about. */
	EgressGetConsentStatus: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
		};
		result: {
			/** whether a run may begin */
			consented: boolean;
			/** those of new_files that are no longer in the workbench: what was read of them is in the conversation */
			earlier_files?: string[] | null;
			/** how many files could be sent */
			files: number;
			/** the host, with its port */
			host: string;
			/** whether the host is this machine, so that no consent is needed */
			local: boolean;
			/** the mode */
			mode: "ask" | "allow_all" | "local_only";
			/** the model */
			model_id: string;
			/** how many of the files have no consent so far */
			new_count: number;
			/** those of the files that have no consent so far */
			new_files: string[] | null;
			/** whether the consent outlives the engine */
			persisted: boolean;
			/** the provider */
			provider_id: string;
			/** stands for the files that could be sent, by their names; "" for a model on this machine */
			scope_hash: string;
		};
	};
	/** Lets the workbench's documents go to a model that is not on this machine. */
	EgressGrantWorkshopConsent: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
			/** as EgressGetConsentStatus gave it: stands for what the user was shown */
			scope_hash: string;
			/** keep the consent for good; default: as long as the engine runs */
			persist?: boolean;
		};
		result: {};
	};
	/** The consents that were given to send the workbench's documents away. */
	EgressListConsents: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the consents */
			consents: {
				/** how many files may be sent; those removed since count too */
				files: number;
				/** the host, with its port */
				host: string;
				/** the model */
				model_id: string;
				/** whether the consent outlives the engine */
				persisted: boolean;
				/** the provider */
				provider_id: string;
			}[] | null;
			/** the mode */
			mode: "ask" | "allow_all" | "local_only";
		};
	};
	/** The requests made for a workbench, oldest first, with consents given and taken back. */
	EgressListEvents: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id?: string;
			/** only entries with a greater id; default 0, from the first */
			after?: number;
			/** at most so many entries in one answer */
			limit?: number;
			/** the newest first, paged with before instead of after */
			newest_first?: boolean;
			/** only events with a smaller id, with newest_first; default 0, from the newest */
			before?: number;
			/** only events with this text in host, provider, model, kind, error or files, whatever the case of A to Z */
			find?: string;
			/** only requests that went to another machine */
			left?: boolean;
		};
		result: {
			/** how many events the log no longer has; it keeps 100,000 */
			dropped: number;
			/** the events */
			events: {
				/** bytes of the answer's body, decompressed */
				bytes_in: number;
				/** bytes of the request's body */
				bytes_out: number;
				/** how long it took, in milliseconds */
				elapsed_ms: number;
				/** whether the request has ended; false also when the engine died */
				ended: boolean;
				/** why it failed: refused (nothing was sent), canceled, timeout, unknown host, not reachable, connection lost, failed */
				error?: string;
				/** how many files there are, also those that files leaves out */
				file_count: number;
				/** the files whose content the request carries, or that were consented to; at most 200 */
				files: string[] | null;
				/** the host, with its port */
				host: string;
				/** the id of the event; it counts up */
				id: number;
				/** what the request was for, or what was consented to */
				kind: "run" | "summary" | "translate" | "models" | "validate" | "probe" | "fetch" | "tool_server" | "tool_server_request" | "tool_sign_in" | "release" | "allowed" | "consent_granted" | "consent_revoked";
				/** whether the host is this machine, so that no consent is needed */
				local: boolean;
				/** the model */
				model_id: string;
				/** the provider */
				provider_id: string;
				/** whether the same request was sent before and failed */
				retried: boolean;
				/** stands for the files that could be sent, by their names; "" for a model on this machine */
				scope_hash: string;
				/** the HTTP status; 0 when there was no answer */
				status: number;
				/** when it was, RFC 3339 */
				timestamp: string;
			}[] | null;
			/** whether more follows */
			has_more: boolean;
		};
	};
	/** Takes consents of the workbench back; a run in progress sends nothing more. */
	EgressRevokeWorkshopConsent: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id?: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
		};
		result: {
			/** how many consents were taken back */
			revoked: number;
		};
	};
	/** Versions of the engine and of the protocol. */
	EngineGetInfo: {
		params: {};
		result: {
			/** the version of the protocol */
			api_version: string;
			/** the version of the engine */
			engine_version: string;
		};
	};
	/** What the memory of the process is used for, and how much there is. */
	EngineGetMemory: {
		params: {};
		result: {
			/** bytes that caches keep; they are let go when work needs them */
			cached: number;
			/** bytes of it that work and caches share */
			memory_budget: number;
			/** bytes that the process may take, with the processes that it starts for one call */
			memory_limit: number;
			/** the most bytes in use at once since the process started */
			most: number;
			/** how many calls had to wait since the process started */
			waited: number;
			/** how many calls wait for memory */
			waiting: number;
			/** bytes that work in progress has reserved */
			work: number;
		};
	};
	/** Sends the workbench's notifications after a position again, before later ones; a client that connects again calls it first. */
	EventsResume: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the position of the last notification that the client has; left out, it wants later ones only */
			position?: number | null;
		};
		result: {
			/** the latest position of the workbench; notifications with a greater one follow */
			position: number;
			/** whether the notifications that were missed came, all and in order; false: none came, because they are no longer kept: read the state anew */
			resumed: boolean;
			/** how many notifications that was */
			sent: number;
		};
	};
	/** Lists the folders in a folder of this machine, for choosing the root of a workbench. */
	FoldersList: {
		params: {
			/** an absolute path; default: the home of the user */
			path?: string;
		};
		result: {
			/** files in it, without hidden ones */
			files: number;
			/** its folders by name, the first 1,000, without hidden ones */
			folders: {
				/** the name of the folder */
				name: string;
				/** its path, absolute */
				path: string;
			}[] | null;
			/** it has more than was looked at */
			omitted?: boolean;
			/** the folder around it, absolute; "" if there is none */
			parent: string;
			/** the folder that was listed, absolute */
			path: string;
		};
	};
	/** What happened to the files, the newest first: publishes, restores, undos, states kept by hand, steps in the draft; with the files that each changed. */
	HistoryList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** only what happened before this entry: an entry_id */
			before?: string;
			/** at most so many entries in one answer; default 100, at most 500 */
			limit?: number;
			/** at most so many files of each entry; default 50, at most 2000 */
			files?: number;
		};
		result: {
			/** what happened, the newest first */
			entries: {
				/** restores the published files as they were before it; of manual, as they were then */
				checkpoint_id?: string;
				/** when it happened, RFC 3339 */
				created_at: string;
				/** what a state kept by hand is called */
				description?: string;
				/** the entry, for before */
				entry_id: string;
				/** the files that it changed, sorted by path */
				files: {
					/** what happens to the file */
					change_type: "added" | "modified" | "deleted";
					/** SHA-256 of the content after, which names a version of the file; left out where there is no file any more, and for a step in the draft */
					new_hash?: string;
					/** size after, in bytes */
					new_size: number;
					/** SHA-256 of the content before, which names a version of the file; left out where there was no file, and for a step in the draft */
					old_hash?: string;
					/** size before, in bytes */
					old_size: number;
					/** the file, relative to the workbench's root */
					path: string;
				}[] | null;
				/** how many files a state kept by hand has */
				files_kept?: number;
				/** how many files are left out of files */
				files_omitted?: number;
				/** what happened: publish, restore, undo, add, remove and manual (a state was kept by hand) are those of a checkpoint; version (a version of a file was restored) and reject (changes were rejected) are steps in the draft */
				kind: "publish" | "restore" | "undo" | "manual" | "add" | "remove" | "version" | "reject" | "discard" | "guest";
				/** of a step in the draft; WorkshopUndoToMessage with before takes it back */
				message_id?: string;
			}[] | null;
			/** whether more follows */
			has_more: boolean;
		};
	};
	/** What is known of a model. */
	ModelsGetCapabilities: {
		params: {
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
		};
		result: {
			/** whether the model can be used beside another */
			can_be_secondary: boolean;
			/** whether the provider has what it needs, such as a key */
			configured: boolean;
			/** the window in tokens, if it is known */
			context_tokens?: number;
			/** the longest answer in tokens, if it is known */
			max_output_tokens?: number;
			/** the model, as WorkshopSetActiveModel takes it */
			model_id: string;
			/** the price of the model's tokens; left out when it is not known */
			price?: {
				/** price of tokens read from the endpoint's cache; default the price of input */
				cached?: number | null;
				/** the currency, such as EUR */
				currency?: string;
				/** price of a million tokens sent */
				input: number | null;
				/** price of a million tokens answered */
				output: number | null;
				/** documents of the draft that were written */
				written?: number | null;
			} | null;
			/** the provider */
			provider_id: string;
			/** the reasoning effort that requests name; "": none is sent */
			reasoning_effort?: string;
			/** the reasoning efforts that the model takes, if they are known */
			reasoning_efforts?: string[] | null;
			/** whether files can be read */
			supports_file_read: boolean;
			/** whether files can be written */
			supports_file_write: boolean;
		};
	};
	/** The models the providers' endpoints offer, with what is known of each. */
	ModelsList: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id?: string;
		};
		result: {
			/** the providers that could not be asked */
			failed?: {
				/** why it could not be asked */
				error: {
					/** what the user can do about it */
					actions?: ("retry" | "open_settings" | "review_draft" | "discard_draft" | "grant_consent")[] | null;
					/** the changes */
					changes?: string[] | null;
					/** what happened, in words */
					detail?: string;
					/** what a consent would be about, for EGRESS_CONSENT_REQUIRED */
					egress?: {
						/** those of new_files that are no longer in the workbench: what was read of them is in the conversation */
						earlier_files?: string[] | null;
						/** how many files could be sent */
						files: number;
						/** the host, with its port */
						host: string;
						/** how many of them have no consent so far */
						new_files: number;
						/** whether the name of the model says that the server on this machine passes requests on to the cloud */
						passed_on?: boolean;
						/** stands for the files that could be sent, by their names; "" for a model on this machine */
						scope_hash: string;
					} | null;
					/** the kind of error */
					error_code: "VALIDATION_FAILED" | "SANDBOX_VIOLATION" | "FILE_READ_FAILED" | "NOT_FOUND" | "FILE_WRITE_FAILED" | "DISK_FULL" | "KEPT_DATA_DAMAGED" | "USER_CANCELED" | "CONFLICT_PUBLISHED_CHANGED" | "PROVIDER_AUTH_FAILED" | "PROVIDER_NOT_CONFIGURED" | "PROVIDER_UNAVAILABLE" | "NETWORK_UNAVAILABLE" | "ANSWER_TOO_LARGE" | "EGRESS_CONSENT_REQUIRED" | "EGRESS_BLOCKED_BY_POLICY" | "METHOD_NOT_FOUND" | "INVALID_PARAMS" | "AGENT_LOOP_DETECTED" | "BUDGET_EXCEEDED";
					/** how to continue, in words */
					hint?: string;
					/** the model it concerns */
					model_id?: string;
					/** the files it concerns */
					paths?: string[] | null;
					/** the part of the engine that failed */
					phase?: string;
					/** the provider it concerns */
					provider_id?: string;
					/** whether the same call can succeed later */
					retryable: boolean;
					/** what was being done */
					subphase?: string;
					/** the workbench it concerns */
					workbench_id?: string;
				} | null;
				/** the provider */
				provider_id: string;
			}[] | null;
			/** the models */
			models: {
				/** whether the provider has what it needs, such as a key */
				configured: boolean;
				/** the window in tokens, if it is known */
				context_tokens?: number;
				/** the longest answer in tokens, if it is known */
				max_output_tokens?: number;
				/** the model, as WorkshopSetActiveModel takes it */
				model_id: string;
				/** the price of the model's tokens; left out when it is not known */
				price?: {
					/** price of tokens read from the endpoint's cache; default the price of input */
					cached?: number | null;
					/** the currency, such as EUR */
					currency?: string;
					/** price of a million tokens sent */
					input: number | null;
					/** price of a million tokens answered */
					output: number | null;
					/** documents of the draft that were written */
					written?: number | null;
				} | null;
				/** the provider */
				provider_id: string;
				/** the reasoning effort that requests name; "": none is sent */
				reasoning_effort?: string;
				/** the reasoning efforts that the model takes, if they are known */
				reasoning_efforts?: string[] | null;
			}[] | null;
		};
	};
	/** The models that are set up; any other name an endpoint knows works too. */
	ModelsListSupported: {
		params: {};
		result: {
			/** the providers that could not be asked */
			failed?: {
				/** why it could not be asked */
				error: {
					/** what the user can do about it */
					actions?: ("retry" | "open_settings" | "review_draft" | "discard_draft" | "grant_consent")[] | null;
					/** the changes */
					changes?: string[] | null;
					/** what happened, in words */
					detail?: string;
					/** what a consent would be about, for EGRESS_CONSENT_REQUIRED */
					egress?: {
						/** those of new_files that are no longer in the workbench: what was read of them is in the conversation */
						earlier_files?: string[] | null;
						/** how many files could be sent */
						files: number;
						/** the host, with its port */
						host: string;
						/** how many of them have no consent so far */
						new_files: number;
						/** whether the name of the model says that the server on this machine passes requests on to the cloud */
						passed_on?: boolean;
						/** stands for the files that could be sent, by their names; "" for a model on this machine */
						scope_hash: string;
					} | null;
					/** the kind of error */
					error_code: "VALIDATION_FAILED" | "SANDBOX_VIOLATION" | "FILE_READ_FAILED" | "NOT_FOUND" | "FILE_WRITE_FAILED" | "DISK_FULL" | "KEPT_DATA_DAMAGED" | "USER_CANCELED" | "CONFLICT_PUBLISHED_CHANGED" | "PROVIDER_AUTH_FAILED" | "PROVIDER_NOT_CONFIGURED" | "PROVIDER_UNAVAILABLE" | "NETWORK_UNAVAILABLE" | "ANSWER_TOO_LARGE" | "EGRESS_CONSENT_REQUIRED" | "EGRESS_BLOCKED_BY_POLICY" | "METHOD_NOT_FOUND" | "INVALID_PARAMS" | "AGENT_LOOP_DETECTED" | "BUDGET_EXCEEDED";
					/** how to continue, in words */
					hint?: string;
					/** the model it concerns */
					model_id?: string;
					/** the files it concerns */
					paths?: string[] | null;
					/** the part of the engine that failed */
					phase?: string;
					/** the provider it concerns */
					provider_id?: string;
					/** whether the same call can succeed later */
					retryable: boolean;
					/** what was being done */
					subphase?: string;
					/** the workbench it concerns */
					workbench_id?: string;
				} | null;
				/** the provider */
				provider_id: string;
			}[] | null;
			/** the models */
			models: {
				/** whether the provider has what it needs, such as a key */
				configured: boolean;
				/** the window in tokens, if it is known */
				context_tokens?: number;
				/** the longest answer in tokens, if it is known */
				max_output_tokens?: number;
				/** the model, as WorkshopSetActiveModel takes it */
				model_id: string;
				/** the price of the model's tokens; left out when it is not known */
				price?: {
					/** price of tokens read from the endpoint's cache; default the price of input */
					cached?: number | null;
					/** the currency, such as EUR */
					currency?: string;
					/** price of a million tokens sent */
					input: number | null;
					/** price of a million tokens answered */
					output: number | null;
					/** documents of the draft that were written */
					written?: number | null;
				} | null;
				/** the provider */
				provider_id: string;
				/** the reasoning effort that requests name; "": none is sent */
				reasoning_effort?: string;
				/** the reasoning efforts that the model takes, if they are known */
				reasoning_efforts?: string[] | null;
			}[] | null;
		};
	};
	/** Tries out what a model at its endpoint can do, with a handful of short requests, and proposes a settings entry. */
	ModelsProbe: {
		params: {
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
			/** also send a request longer than the window, which may cost money */
			overflow?: boolean;
		};
		result: {
			/** what was tried */
			checks: {
				/** what happened, in words */
				detail: string;
				/** what was tried */
				name: string;
				/** how it went: FAIL means that runs with tools will not go well */
				status: "ok" | "note" | "FAIL" | "skip";
			}[] | null;
			/** what the table of models should say and does not; left out when there is nothing */
			rule?: {
				/** the form of tool call ids that the endpoint takes */
				call_ids?: "any" | "nine";
				/** a host without its port */
				endpoint?: string;
				/** whether the model takes images; left out: not known, so none are sent */
				images?: boolean | null;
				/** the parameter that has the longest answer; default max_tokens */
				limit_param?: string;
				/** how many images a request may have; left out: no limit is known */
				max_images?: number;
				/** the longest answer of the model in tokens */
				max_output?: number;
				/** a pattern of model names */
				model?: string;
				/** the value of the parameter of that name; left out: it is not sent */
				parallel_tool_calls?: boolean | null;
				/** the price of the model's tokens; left out when it is not known */
				price?: {
					/** price of tokens read from the endpoint's cache; default the price of input */
					cached?: number | null;
					/** the currency, such as EUR */
					currency?: string;
					/** price of a million tokens sent */
					input: number | null;
					/** price of a million tokens answered */
					output: number | null;
					/** documents of the draft that were written */
					written?: number | null;
				} | null;
				/** the reasoning effort that requests name; "": none is sent */
				reasoning_effort?: string;
				/** the reasoning efforts that the model takes, if they are known */
				reasoning_efforts?: string[] | null;
				/** how requests are changed for the model */
				repairs?: string[] | null;
				/** the longest answer that is asked for, in tokens; 0: the endpoint's default */
				send_limit?: number;
				/** the temperature of requests, or omit */
				temperature?: number | string;
				/** whether calls of declared tools that the model writes into its text count */
				text_tool_calls?: boolean | null;
				/** how tools are described to the model; left out: by the size of its window */
				tools?: "full" | "small";
				/** the model's window in tokens: a request and its answer together */
				window?: number;
			} | null;
		};
	};
	/** Keeps an endpoint as a provider, or changes one that was added; its key is set with ProvidersSetApiKey. */
	ProvidersAdd: {
		params: {
			/** a name of small letters, digits, - and _; models of it are named provider_id:model */
			provider_id: string;
			/** the name to show; default the provider_id */
			display_name?: string;
			/** the address of the endpoint, such as http://localhost:11434/v1 */
			base_url: string;
			/** that the endpoint speaks; default chat, at api.anthropic.com anthropic */
			api?: "" | "chat" | "anthropic" | "responses";
		};
		result: {};
	};
	/** Forgets a provider's stored API key. */
	ProvidersClearApiKey: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
		};
		result: {};
	};
	/** Asks the usual ports of this machine for servers of models: Ollama, LM Studio, llama.cpp, vLLM. */
	ProvidersFindLocal: {
		params: {};
		result: {
			/** the servers that answered */
			found: {
				/** whether it is a provider already */
				added: boolean;
				/** the address of the endpoint */
				base_url: string;
				/** the name to show */
				display_name: string;
				/** the names of the models that it serves */
				models: string[] | null;
				/** for ProvidersAdd; that of the provider where it is one already */
				provider_id: string;
			}[] | null;
		};
	};
	/** The providers and whether each has what it needs. */
	ProvidersGetStatus: {
		params: {};
		result: {
			/** the providers */
			providers: {
				/** whether ProvidersAdd stored it, so that ProvidersRemove forgets it */
				added?: boolean;
				/** that the endpoint speaks: chat (OpenAI's Chat Completions), anthropic (Anthropic's Messages) or responses (OpenAI's Responses) */
				api?: "chat" | "anthropic" | "responses";
				/** whether the provider needs a key */
				auth_mode: "api_key" | "none";
				/** the address of the endpoint */
				base_url?: string;
				/** whether the provider has what it needs, such as a key */
				configured: boolean;
				/** the name to show */
				display_name: string;
				/** whether the provider's models are offered */
				enabled: boolean;
				/** where the key is from; "" when there is none */
				key_source?: "" | "environment" | "stored" | "config";
				/** the names of the models */
				models: string[] | null;
				/** the provider */
				provider_id: string;
				/** the reasoning effort of each phase; "" is the model's default */
				rpi_reasoning: {
					/** the reasoning effort of the implementing phase */
					implement_effort: string;
					/** the reasoning effort of the planning phase */
					plan_effort: string;
					/** the reasoning effort of the researching phase */
					research_effort: string;
				};
			}[] | null;
		};
	};
	/** Forgets a provider that was added, with its stored key. */
	ProvidersRemove: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
		};
		result: {};
	};
	/** Keeps a provider's API key in the system's keychain, or an encrypted file where there is none. */
	ProvidersSetApiKey: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
			/** the key; it is kept in the system's keychain, else encrypted, and never given back */
			api_key: string;
		};
		result: {};
	};
	/** Switches a provider off, so that nothing asks it, or on again. */
	ProvidersSetEnabled: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
			/** whether the provider's models are offered */
			enabled: boolean;
		};
		result: {};
	};
	/** Sets the reasoning effort of the phases of a run in phases; a model gets the nearest it takes. */
	ProvidersSetReasoningEffort: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
			/** reasoning_effort of the researching phase; "" is the model's default */
			research_effort: "" | "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
			/** reasoning_effort of the planning phase; "" is the model's default */
			plan_effort: "" | "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
			/** reasoning_effort of the implementing phase; "" is the model's default */
			implement_effort: "" | "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
		};
		result: {};
	};
	/** Asks the provider's endpoint for one word, to see whether key and address work. */
	ProvidersValidate: {
		params: {
			/** the provider, as ProvidersGetStatus gives it; where it may be left out, default all */
			provider_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
		};
		result: {
			/** the model that answered; "" when only the list of models was asked for */
			model_id?: string;
			/** whether it works */
			ok: boolean;
		};
	};
	/** Paragraphs and tables of one side of a text document, a window of them, to be drawn in its flow. */
	ReviewGetBlocks: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** which state of the file: draft (the default), published, or a version as WorkbenchFileVersions gives it, its hash, or the beginning of either */
			version?: string;
			/** the first block, from 0 */
			first?: number;
			/** how many blocks, at most 2000; default 200 */
			count?: number;
		};
		result: {
			/** fewer than were asked for at the end, and where the answer would be too large */
			blocks: {
				/** center, right or justify */
				align?: string;
				/** the address that reviews and operations use, such as p12 or t0 */
				at: string;
				/** from the start side, in points */
				indent?: number;
				/** paragraph or table */
				kind: string;
				/** the marker of a list, such as 2.1 or • */
				label?: string;
				/** of a heading, 1 to 9 */
				level?: number;
				/** rows of a table that are left out for their number */
				omitted?: number;
				/** of a table */
				rows?: {
					/** its address */
					at: string;
					/** those that no other cell covers */
					cells: {
						/** how many it spans; left out for 1 */
						columns?: number;
						/** the color behind it, RRGGBB */
						fill?: string;
						/** also those of tables in it */
						paragraphs: {
							/** center, right or justify */
							align?: string;
							/** the address that reviews and operations use, such as p12 or t0 */
							at: string;
							/** from the start side, in points */
							indent?: number;
							/** the marker of a list, such as 2.1 or • */
							label?: string;
							/** of a heading, 1 to 9 */
							level?: number;
							/** the text */
							spans?: {
								/** bold */
								bold?: boolean;
								/** inserted or deleted: a tracked change */
								change?: string;
								/** RRGGBB */
								color?: string;
								/** the name of a color, such as yellow */
								highlight?: string;
								/** italic */
								italic?: boolean;
								/** where it leads; # and a name is a place in the document */
								link?: string;
								/** picture, equation, footnote, endnote, comment, break or object: what is here in place of text */
								object?: string;
								/** superscript or subscript */
								raised?: string;
								/** struck through */
								strike?: boolean;
								/** of an object, words for it */
								text: string;
								/** underlined, in any way */
								underline?: boolean;
							}[] | null;
							/** the name of the paragraph's style, where it is not the default one */
							style?: string;
							/** it is the document's title */
							title?: boolean;
						}[] | null;
						/** how many it spans; left out for 1 */
						rows?: number;
					}[] | null;
					/** it is repeated on each page */
					head?: boolean;
				}[] | null;
				/** the text */
				spans?: {
					/** bold */
					bold?: boolean;
					/** inserted or deleted: a tracked change */
					change?: string;
					/** RRGGBB */
					color?: string;
					/** the name of a color, such as yellow */
					highlight?: string;
					/** italic */
					italic?: boolean;
					/** where it leads; # and a name is a place in the document */
					link?: string;
					/** picture, equation, footnote, endnote, comment, break or object: what is here in place of text */
					object?: string;
					/** superscript or subscript */
					raised?: string;
					/** struck through */
					strike?: boolean;
					/** of an object, words for it */
					text: string;
					/** underlined, in any way */
					underline?: boolean;
				}[] | null;
				/** the name of the paragraph's style, where it is not the default one */
				style?: string;
				/** it is the document's title */
				title?: boolean;
			}[] | null;
			/** the number of the first block here, from 0 */
			first: number;
			/** SHA-256 of the content, in hexadecimal digits */
			hash: string;
			/** what the blocks do not show, in sentences */
			notes?: string[] | null;
			/** how many blocks the body has */
			total: number;
		};
	};
	/** The changed paths with a summary each. */
	ReviewGetChangeSet: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the changes */
			changes: {
				/** what happens to the file */
				change_type: "added" | "modified" | "deleted" | "renamed";
				/** what happened to the published file in a conflict: changed, deleted, or added where there was none */
				changed_outside?: string;
				/** whether the published file changed after the draft was based on it */
				conflict?: boolean;
				/** the file that this one was copied from */
				copied_from?: string;
				/** the format, as Atelier knows it; folder for a folder */
				file_kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary" | "folder";
				/** the published path of a renamed file */
				from?: string;
				/** whether Atelier cannot read the content */
				is_opaque: boolean;
				/** the MIME type */
				mime_type: string;
				/** SHA-256 of the content after, in hexadecimal digits */
				new_hash?: string;
				/** SHA-256 of the content before, in hexadecimal digits */
				old_hash?: string;
				/** size before, in bytes */
				old_size: number;
				/** the file, relative to the workbench's root */
				path: string;
				/** size after, in bytes */
				size_bytes: number;
				/** the changes in a few words, such as 12 cells in 2 sheets */
				summary: string;
				/** what the change makes the document do: access something outside, run code, hide or lose content */
				warnings?: string[] | null;
			}[] | null;
			/** the draft; it changes when a draft is published or discarded */
			draft_id?: string;
		};
	};
	/** One file's changes in its format's terms: cells, paragraphs, slides. */
	ReviewGetContentDiff: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** at most so many items in one answer, default 1000; the counts are of all */
			max_items?: number;
			/** say of each change of a docx, xlsx or pptx whether it can be taken back and with which others; this takes many comparisons */
			requires?: boolean;
		};
		result: {
			/** whether there is no published file, so that everything is new except what was copied */
			baseline_missing: boolean;
			/** the file that this one was copied from */
			copied_from?: string;
			/** the changes other than to the text of cells, paragraphs and shapes */
			facts: {
				/** where it is in the new file; for removed items in the old one */
				at?: string;
				/** what happened to it */
				change: "added" | "changed" | "removed" | "moved";
				/** the id of the fact, which depends on the two contents only */
				id: string;
				/** what kind of thing it is */
				kind: string;
				/** what it is now, in words */
				new?: string;
				/** what it was, in words */
				old?: string;
				/** why it cannot be taken back alone, where requires was asked for */
				reason?: string;
				/** the ids of the changes that have to be taken back with it, where they were asked for */
				requires?: string[] | null;
				/** whether it can be taken back without the whole file; sure only where requires was asked for */
				revertible: boolean;
				/** why a person should look, in a sentence that names the place */
				warning?: string;
			}[] | null;
			/** how many facts are not listed */
			facts_omitted?: number;
			/** the format, as Atelier knows it; folder for a folder */
			file_kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary" | "folder";
			/** what changed, one group for each sheet, slide, section or other part, in the order of the new file */
			groups: {
				/** what happened to it */
				change: "added" | "removed" | "modified" | "moved" | "renamed" | "formatting";
				/** where it was, or what it was called before */
				from?: string;
				/** what changed in the group */
				items: {
					/** where it is in the new file; for removed items in the old one */
					at?: string;
					/** what happened to it */
					change: "added" | "removed" | "modified" | "moved" | "renamed" | "formatting";
					/** where it was, or what it was called before */
					from?: string;
					/** its id */
					id?: string;
					/** what it is now, in words */
					new?: string;
					/** what a person should know besides, one sentence each */
					notes?: string[] | null;
					/** what it was, in words */
					old?: string;
					/** why it cannot be taken back alone, where requires was asked for */
					reason?: string;
					/** the ids of the changes that have to be taken back with it, where they were asked for */
					requires?: string[] | null;
					/** whether it can be taken back without the whole file; sure only where requires was asked for */
					revertible?: boolean;
				}[] | null;
				/** the name of the part */
				name: string;
			}[] | null;
			/** why there is nothing to show, in words */
			message?: string;
			/** how many items are not listed */
			omitted?: number;
			/** the file, relative to the workbench's root */
			path: string;
			/** the changes in a few words, such as 12 cells in 2 sheets */
			summary: string;
			/** what the change makes the document do: access something outside, run code, hide or lose content */
			warnings?: string[] | null;
		};
	};
	/** A page of one side of a file as a picture. */
	ReviewGetPreview: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** which state of the file: draft (the default), published, or a version as WorkbenchFileVersions gives it, its hash, or the beginning of either */
			version?: string;
			/** the page, from 0; of a presentation the slide */
			page?: number;
			/** 0.25 to 2, default 1: a pixel is 1/72 inch, of an image a pixel */
			scale?: number;
		};
		result: {
			/** the bytes, in base64 */
			bytes_base64: string;
			/** the MIME type */
			mime_type: "image/png";
			/** what a person should know besides */
			note?: string;
			/** how many pages there are */
			page_count: number;
			/** the page, from 0 */
			page_index: number;
			/** how the picture was made */
			rendering: "pdf" | "libreoffice" | "text" | "image";
			/** whether the picture is smaller than asked, because of its size */
			scaled_down: boolean;
		};
	};
	/** A window of the cells of one side of a workbook, to be drawn as a grid; a large sheet is not read as a whole for it. */
	ReviewGetSheetWindow: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** which state of the file: draft (the default), published, or a version as WorkbenchFileVersions gives it, its hash, or the beginning of either */
			version?: string;
			/** the sheet by its name in any case; default the first that is shown and has cells */
			sheet?: string;
			/** the first row, from 1 */
			row?: number;
			/** the first column, from 1 */
			column?: number;
			/** how many rows, at most 1000; default 100 */
			rows?: number;
			/** how many columns, at most 500; default 30 */
			columns?: number;
			/** read a large sheet to its end if that was not done yet, so that totals and merged cells are exact */
			measure?: boolean;
		};
		result: {
			/** the first column of the window */
			column: number;
			/** how many columns the window has */
			column_count: number;
			/** of the whole sheet, in order; other columns have the default width */
			column_spans: {
				/** the first column */
				first: number;
				/** it is hidden */
				hidden?: boolean;
				/** the last column */
				last: number;
				/** of its cells that are not listed: an index into styles, from 1 */
				style?: number;
				/** characters of the default font (18.3.1.13); 0: the default */
				width?: number;
			}[] | null;
			/** the height of other rows, in points */
			default_height: number;
			/** the width of other columns, in characters of the default font */
			default_width: number;
			/** false: the totals are what the file says of itself, and merged is not known */
			exact: boolean;
			/** how many columns from the start stay when a program scrolls */
			frozen_columns?: number;
			/** how many rows from the top stay when a program scrolls */
			frozen_rows?: number;
			/** SHA-256 of the content, in hexadecimal digits: the same hash has the same cells */
			hash: string;
			/** merged cells that meet the window, such as B2:D3 */
			merged?: string[] | null;
			/** what the cells do not show, in sentences */
			notes?: string[] | null;
			/** column A is at the right */
			right_to_left?: boolean;
			/** the first row of the window */
			row: number;
			/** less than was asked for at the end, and where the answer would be too large */
			row_count: number;
			/** those that hold cells or have a height of their own */
			rows: {
				/** its cells in the window that hold a value or show a format */
				cells?: {
					/** its column */
					column: number;
					/** the text is longer; ask for the cell alone to have it whole */
					cut?: boolean;
					/** with =; =… where it is too long to be given here */
					formula?: string;
					/** an index into styles, from 1; 0 is the plain style */
					style?: number;
					/** as it is shown */
					text?: string;
					/** number, date, boolean or error; left out for text */
					type?: string;
					/** a number as it is stored, where text differs */
					value?: string;
				}[] | null;
				/** points; 0: the default */
				height?: number;
				/** it is hidden */
				hidden?: boolean;
				/** its number */
				row: number;
				/** of its cells that are not listed: an index into styles, from 1 */
				style?: number;
			}[] | null;
			/** the name of the sheet that is shown */
			sheet: string;
			/** all sheets, in order */
			sheets: {
				/** it is hidden */
				hidden?: boolean;
				/** worksheet, chartsheet, dialogsheet, macrosheet */
				kind: string;
				/** its name */
				name: string;
			}[] | null;
			/** the looks that cells, rows and column_spans name, the first is number 1 */
			styles: {
				/** left, center, right, fill, justify, centerContinuous, distributed */
				align?: string;
				/** bold */
				bold?: boolean;
				/** as border_top */
				border_bottom?: string;
				/** as border_top */
				border_left?: string;
				/** as border_top */
				border_right?: string;
				/** line style and color: thin 000000 */
				border_top?: string;
				/** the color of the text */
				color?: string;
				/** the color behind it */
				fill?: string;
				/** the font, where it is not the default one */
				font?: string;
				/** steps of indentation */
				indent?: number;
				/** italic */
				italic?: boolean;
				/** left out for General */
				number_format?: string;
				/** points */
				size?: number;
				/** struck through */
				strike?: boolean;
				/** underlined, in any way */
				underline?: boolean;
				/** top, center, justify, distributed; left out for bottom */
				vertical_align?: string;
				/** the text breaks into lines */
				wrap?: boolean;
			}[] | null;
			/** the last column that holds anything */
			total_columns: number;
			/** the last row that holds anything */
			total_rows: number;
		};
	};
	/** One file's changes as hunks of lines, a window of a large one; office files by their text. */
	ReviewGetTextDiff: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** next of the part before; "" begins at the beginning */
			start?: string;
			/** at most so many changed lines in one answer; default 2000, at most 20000 */
			max_lines?: number;
		};
		result: {
			/** how many lines were added in these hunks */
			added: number;
			/** whether there is no published file, so that everything is new except what was copied */
			baseline_missing: boolean;
			/** the changes with the lines around them */
			hunks: {
				/** its id */
				id?: string;
				/** the lines */
				lines: {
					/** bytes of the line left out after text */
					cut?: number;
					/** bytes of the line left out before text */
					from?: number;
					/** the number of the line in the new text, from 1 */
					new_line?: number;
					/** the number of the line in the old text, from 1 */
					old_line?: number;
					/** the line without its terminator */
					text: string;
					/** whether the line stayed, was added or was removed */
					type: "context" | "added" | "removed";
				}[] | null;
			}[] | null;
			/** why there is nothing to show, in words */
			message?: string;
			/** start of the next part; "" for the last one */
			next?: string;
			/** what a person should know besides */
			note?: string;
			/** the file, relative to the workbench's root */
			path: string;
			/** how many lines were removed in these hunks */
			removed: number;
			/** always false: large files are compared in parts */
			too_large: boolean;
			/** which part of the text this is, if it is not all of it */
			window?: {
				/** the first line of the new text */
				new_from: number;
				/** the last line of the new text */
				new_to: number;
				/** the first line of the old text */
				old_from: number;
				/** the last line of the old text */
				old_to: number;
				/** how similar the source is; 100: the same text */
				percent: number;
			} | null;
		};
	};
	/** Lists the files the user has open. */
	SessionListActiveFiles: {
		params: {
			/** an editor's session; a workbench_id is one too */
			session_id: string;
		};
		result: {
			/** the files */
			files: {
				/** what the editor calls the file */
				displayPath: string;
				/** the name of the file for tools and editors, in lower case */
				docPath: string;
				/** whether the content counts; false: the workbench's copy does */
				isActive: boolean;
				/** whether the file has changes that were not saved */
				isDirty: boolean;
				/** size of the content as UTF-8, in bytes */
				sizeBytes: number;
			}[] | null;
		};
	};
	/** Says which files the user has open, with their content: it is the truth for these docPaths. */
	SessionSetActiveFiles: {
		params: {
			/** an editor's session; a workbench_id is one too */
			session_id: string;
			/** the files open in the editor, with content, when isActive is not false; they take the place of those there are, but for merge */
			files: {
				/** the content */
				content?: string | null;
				/** what the editor calls the file */
				displayPath?: string;
				/** the name of the file for tools and editors, in lower case */
				docPath: string;
				/** whether the content counts; false: the workbench's copy does */
				isActive?: boolean | null;
				/** whether the file has changes that were not saved */
				isDirty?: boolean;
			}[] | null;
			/** keep the active files there are; those with the same docPath are replaced */
			merge?: boolean;
			/** docPaths to take out, after the rest is done */
			remove?: string[] | null;
		};
		result: {
			/** the files */
			files: {
				/** what the editor calls the file */
				displayPath: string;
				/** the name of the file for tools and editors, in lower case */
				docPath: string;
				/** whether the content counts; false: the workbench's copy does */
				isActive: boolean;
				/** whether the file has changes that were not saved */
				isDirty: boolean;
				/** size of the content as UTF-8, in bytes */
				sizeBytes: number;
			}[] | null;
		};
	};
	/** Approves or declines the content of a skill or AGENTS.md that came with the folder, or forgets what was decided; counts from the next run on. */
	SkillsDecide: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the name of a skill of the folder, or AGENTS.md */
			name: string;
			/** what the user decides */
			decision: "approve" | "decline" | "forget";
			/** the hash as SkillsGet gave it, of what the user was shown; not for forget */
			hash?: string;
		};
		result: {
			/** the skill, or AGENTS.md */
			skill: {
				/** the description */
				description?: string;
				/** SHA-256 of the content, in hexadecimal digits */
				hash?: string;
				/** the name */
				name: string;
				/** the file, relative to the workbench's root */
				path?: string;
				/** size after, in bytes */
				size_bytes: number;
				/** folder, user or program */
				source: string;
				/** used, new (not decided about), changed (since it was decided about), declined, hidden (another of the same name is used) or refused (it cannot be used) */
				status: string;
				/** why it is not used */
				why?: string;
			};
			/** the text */
			text?: string;
		};
	};
	/** The content of a skill or of AGENTS.md, for a person who decides about it. */
	SkillsGet: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the name of a skill, or AGENTS.md */
			name: string;
			/** where it is from; default the first of these that has one */
			source?: "folder" | "user" | "program";
		};
		result: {
			/** the skill, or AGENTS.md */
			skill: {
				/** the description */
				description?: string;
				/** SHA-256 of the content, in hexadecimal digits */
				hash?: string;
				/** the name */
				name: string;
				/** the file, relative to the workbench's root */
				path?: string;
				/** size after, in bytes */
				size_bytes: number;
				/** folder, user or program */
				source: string;
				/** used, new (not decided about), changed (since it was decided about), declined, hidden (another of the same name is used) or refused (it cannot be used) */
				status: string;
				/** why it is not used */
				why?: string;
			};
			/** the text */
			text?: string;
		};
	};
	/** The skills of a workbench and its AGENTS.md, with whether runs use them. */
	SkillsList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** AGENTS.md, then the skills of the user, the folder and the program */
			skills: {
				/** the description */
				description?: string;
				/** SHA-256 of the content, in hexadecimal digits */
				hash?: string;
				/** the name */
				name: string;
				/** the file, relative to the workbench's root */
				path?: string;
				/** size after, in bytes */
				size_bytes: number;
				/** folder, user or program */
				source: string;
				/** used, new (not decided about), changed (since it was decided about), declined, hidden (another of the same name is used) or refused (it cannot be used) */
				status: string;
				/** why it is not used */
				why?: string;
			}[] | null;
		};
	};
	/** Runs one tool by hand on the workbench's draft view. */
	ToolCall: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** whose tools are meant; default workshop */
			catalogue?: "workshop" | "buildscale" | "aptix" | "sila";
			/** another word for catalogue */
			profile?: "workshop" | "buildscale" | "aptix" | "sila";
			/** the name of a tool of the catalogue */
			tool: string;
			/** the arguments of the tool, an object as its schema says (x-tools) */
			args?: { [name: string]: any };
		};
		result: {
			/** why the call failed; null when it succeeded */
			error: {
				/** what the user can do about it */
				actions?: ("retry" | "open_settings" | "review_draft" | "discard_draft" | "grant_consent")[] | null;
				/** the changes */
				changes?: string[] | null;
				/** what happened, in words */
				detail?: string;
				/** what a consent would be about, for EGRESS_CONSENT_REQUIRED */
				egress?: {
					/** those of new_files that are no longer in the workbench: what was read of them is in the conversation */
					earlier_files?: string[] | null;
					/** how many files could be sent */
					files: number;
					/** the host, with its port */
					host: string;
					/** how many of them have no consent so far */
					new_files: number;
					/** whether the name of the model says that the server on this machine passes requests on to the cloud */
					passed_on?: boolean;
					/** stands for the files that could be sent, by their names; "" for a model on this machine */
					scope_hash: string;
				} | null;
				/** the kind of error */
				error_code: "VALIDATION_FAILED" | "SANDBOX_VIOLATION" | "FILE_READ_FAILED" | "NOT_FOUND" | "FILE_WRITE_FAILED" | "DISK_FULL" | "KEPT_DATA_DAMAGED" | "USER_CANCELED" | "CONFLICT_PUBLISHED_CHANGED" | "PROVIDER_AUTH_FAILED" | "PROVIDER_NOT_CONFIGURED" | "PROVIDER_UNAVAILABLE" | "NETWORK_UNAVAILABLE" | "ANSWER_TOO_LARGE" | "EGRESS_CONSENT_REQUIRED" | "EGRESS_BLOCKED_BY_POLICY" | "METHOD_NOT_FOUND" | "INVALID_PARAMS" | "AGENT_LOOP_DETECTED" | "BUDGET_EXCEEDED";
				/** how to continue, in words */
				hint?: string;
				/** the model it concerns */
				model_id?: string;
				/** the files it concerns */
				paths?: string[] | null;
				/** the part of the engine that failed */
				phase?: string;
				/** the provider it concerns */
				provider_id?: string;
				/** whether the same call can succeed later */
				retryable: boolean;
				/** what was being done */
				subphase?: string;
				/** the workbench it concerns */
				workbench_id?: string;
			} | null;
			/** the tool's result, null when it failed: {text} in the catalogue workshop, else what docs/tools.md says of the tool */
			result: { [name: string]: any } | any[] | string | null;
			/** whether it succeeded */
			success: boolean;
		};
	};
	/** Lets what models send to a program go there without asking, from runs in the workbench, or has them ask again. */
	ToolServersAllow: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
			/** whether what models send it may go there without asking */
			allowed: boolean;
		};
		result: {};
	};
	/** Approves or declines an entry that came with the folder, or forgets what was decided; only an approved one is started. */
	ToolServersDecide: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
			/** what the user decides */
			decision: "approve" | "decline" | "forget";
			/** the hash as ToolServersList gave it, of what the user was shown; not for forget */
			hash?: string;
		};
		result: {};
	};
	/** Switches a program of the user's on or off. */
	ToolServersEnable: {
		params: {
			/** the name of the program, as ToolServersList gives it */
			name: string;
			/** whether it may be started */
			enabled: boolean;
		};
		result: {};
	};
	/** The programs whose tools models may call, of the user and of the workbench's folder; none is started. */
	ToolServersList: {
		params: {
			/** the workbench whose folder has programs too; default none: only those of the user */
			workbench_id?: string;
		};
		result: {
			/** parts of the configuration that do not count */
			problems: {
				/** the file */
				file: string;
				/** the line; left out where it concerns the whole file */
				line?: number;
				/** what is wrong, and what to do */
				what: string;
			}[] | null;
			/** the programs, by name, those of the user first */
			servers: {
				/** whether runs in the workbench send it what the model wants without asking */
				allowed: boolean;
				/** the program and its arguments, before variables are filled in */
				command?: string[] | null;
				/** the current folder of the program */
				cwd?: string;
				/** a folder's entry as its file has it, JSON; who decides about it has to see all of it */
				entry?: string;
				/** names of variables that it gets; their values are not told */
				env: string[] | null;
				/** names this state of the entry: ToolServersDecide takes it */
				hash: string;
				/** names of headers that it gets; their values are not told */
				headers: string[] | null;
				/** stdio (a program on this machine) or http */
				kind: string;
				/** its name */
				name: string;
				/** what a person should know besides, one sentence each */
				notes: string[] | null;
				/** the revision of the protocol, once connected */
				protocol?: string;
				/** how often it was started again */
				restarts: number;
				/** when a failed one is tried again, RFC 3339 */
				retry_at?: string;
				/** whether it is told the folder of the workbench */
				roots: boolean;
				/** whether a sign-in to it is kept */
				signed_in: boolean;
				/** whose it is: user (mcp.json of the data folder) or folder (.atelier/mcp.json of the workbench's folder) */
				source: string;
				/** off, invalid, hidden (the user has one of that name), needs_approval, changed (since it was approved), declined, idle (started when needed), starting, ready, needs_sign_in or failed */
				state: string;
				/** how long a call may take, in seconds */
				timeout: number;
				/** what it calls itself, once connected */
				title?: string;
				/** the address, without user, query and fragment */
				url?: string;
				/** its version as it says, once connected */
				version?: string;
				/** why it is in that state, for a person */
				why?: string;
			}[] | null;
		};
	};
	/** Removes a program of the user's, with its sign-in. */
	ToolServersRemove: {
		params: {
			/** the workbench whose folder has programs too; default none: only those of the user */
			workbench_id?: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
		};
		result: {};
	};
	/** Adds a program whose tools models may call, or replaces the entry of that name; of the user, for all workbenches. */
	ToolServersSet: {
		params: {
			/** what the program is called: the tools of "github" are github__… */
			name: string;
			/** the entry, in the members that mcp.json has; members of an entry that are not known stay */
			entry: {
				/** its arguments */
				args?: string[] | null;
				/** the program to start */
				command?: string;
				/** its current folder; default that of the workbench */
				cwd?: string;
				/** it is not started */
				disabled?: boolean;
				/** variables that it gets, beside a few of the environment; ${VAR} and ${VAR:-default} are filled in */
				env?: { [name: string]: string };
				/** headers of each request to it */
				headers?: { [name: string]: string };
				/** what the person got when they registered Atelier with it */
				oauth?: {
					/** the port of the loopback address; 0 is any */
					callbackPort?: number;
					/** the client id */
					clientId?: string;
					/** the client secret */
					clientSecret?: string;
					/** client_credentials signs in without a person; default authorization_code */
					grantType?: string;
					/** scopes to ask for instead of those that the server names */
					scopes?: string[] | null;
				} | null;
				/** tell it the folder of the workbench */
				roots?: boolean;
				/** how long a call may take: milliseconds */
				timeout?: number;
				/** stdio or http; left out, it is what command or url say */
				type?: string;
				/** the address of an http server */
				url?: string;
			};
		};
		result: {};
	};
	/** Signs in to a program; returns when the person has done so in a browser, at the address that ToolServersSignInAddress gives. */
	ToolServersSignIn: {
		params: {
			/** the workbench whose folder has programs too; default none: only those of the user */
			workbench_id?: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
		};
		result: {};
	};
	/** Forgets the sign-in to a program. */
	ToolServersSignOut: {
		params: {
			/** the workbench whose folder has programs too; default none: only those of the user */
			workbench_id?: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
		};
		result: {};
	};
	/** Starts a program or connects to it, and lists its tools. */
	ToolServersTest: {
		params: {
			/** the workbench whose folder has programs too; default none: only those of the user */
			workbench_id?: string;
			/** the name of the program, as ToolServersList gives it */
			name: string;
		};
		result: {
			/** the program as it is now */
			server: {
				/** whether runs in the workbench send it what the model wants without asking */
				allowed: boolean;
				/** the program and its arguments, before variables are filled in */
				command?: string[] | null;
				/** the current folder of the program */
				cwd?: string;
				/** a folder's entry as its file has it, JSON; who decides about it has to see all of it */
				entry?: string;
				/** names of variables that it gets; their values are not told */
				env: string[] | null;
				/** names this state of the entry: ToolServersDecide takes it */
				hash: string;
				/** names of headers that it gets; their values are not told */
				headers: string[] | null;
				/** stdio (a program on this machine) or http */
				kind: string;
				/** its name */
				name: string;
				/** what a person should know besides, one sentence each */
				notes: string[] | null;
				/** the revision of the protocol, once connected */
				protocol?: string;
				/** how often it was started again */
				restarts: number;
				/** when a failed one is tried again, RFC 3339 */
				retry_at?: string;
				/** whether it is told the folder of the workbench */
				roots: boolean;
				/** whether a sign-in to it is kept */
				signed_in: boolean;
				/** whose it is: user (mcp.json of the data folder) or folder (.atelier/mcp.json of the workbench's folder) */
				source: string;
				/** off, invalid, hidden (the user has one of that name), needs_approval, changed (since it was approved), declined, idle (started when needed), starting, ready, needs_sign_in or failed */
				state: string;
				/** how long a call may take, in seconds */
				timeout: number;
				/** what it calls itself, once connected */
				title?: string;
				/** the address, without user, query and fragment */
				url?: string;
				/** its version as it says, once connected */
				version?: string;
				/** why it is in that state, for a person */
				why?: string;
			};
			/** its tools */
			tools: {
				/** the description */
				description: string;
				/** the program does not say that it deletes and replaces nothing */
				destructive: boolean;
				/** the program says that a second call changes nothing more */
				idempotent: boolean;
				/** JSON Schema of its arguments */
				input_schema: any;
				/** what models call it: SERVER__TOOL */
				name: string;
				/** what a person should know besides, one sentence each */
				notes: string[] | null;
				/** the program does not say that it stays with what it knows itself */
				open_world: boolean;
				/** the program says that it changes nothing; others are asked about */
				read_only: boolean;
				/** what people call it */
				title?: string;
				/** what the program calls it */
				tool: string;
			}[] | null;
		};
	};
	/** The tools of a catalogue, in OpenAI's function format. */
	ToolsList: {
		params: {
			/** whose tools are meant; default workshop */
			catalogue?: "workshop" | "buildscale" | "aptix" | "sila";
			/** another word for catalogue */
			profile?: "workshop" | "buildscale" | "aptix" | "sila";
		};
		result: {
			/** the catalogue of tools */
			catalogue: string;
			/** the tools, in OpenAI's function format */
			tools: {
				/** the function */
				function: {
					/** what the tool does, for the model */
					description: string;
					/** the name of the tool */
					name: string;
					/** the JSON Schema of the arguments */
					parameters: { [name: string]: any };
				};
				/** always function */
				type: "function";
			}[] | null;
		};
	};
	/** Asks a translation job to stop; what is done is kept, and the same TranslateStart goes on. */
	TranslateCancel: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
		};
		result: {
			/** whether something was in progress, which was asked to stop */
			cancel_requested: boolean;
		};
	};
	/** Stores a person's translations: in the documents of the draft, the translation memory and later runs of the job. */
	TranslateCorrect: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
			/** translations of a person, at most 10,000; one that equals the translation that is there confirms it; without any, documents that an ended program left unwritten are written */
			corrections?: {
				/** the translation, by its place in the draft */
				path: string;
				/** the id of the segment */
				segment: string;
				/** the translation of the person, with the tags of the source */
				target: string;
			}[] | null;
			/** the corrections also count for segments of the same text and language that nobody has confirmed */
			equal?: boolean;
		};
		result: {
			/** how many segments were stored as a person's */
			corrected: number;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** corrections that were not used, at most 500 */
			refused?: {
				/** what is wrong */
				code?: "" | "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place?: string;
				/** why the correction was not used */
				reason: string;
				/** the id of the segment */
				segment: string;
				/** the translation of the person, with the tags of the source */
				target: string;
			}[] | null;
			/** how many texts there are */
			segments: {
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** how long the translation may be, in UTF-16 units; 0: as long as it needs */
				max_length?: number;
				/** what the translation must mind */
				notes?: string[] | null;
				/** who translated it */
				origin?: "" | "machine" | "memory" | "person";
				/** the kind of place, such as body, header, cell or notes */
				part?: string;
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place: string;
				/** what a person should look at */
				remarks?: {
					/** what is wrong */
					code: "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
					/** what is wrong and what to do */
					message: string;
				}[] | null;
				/** the id of the segment in its document */
				segment: string;
				/** the text in the source language, with tags: <1>…</1> encloses formatting, <2/> is an object; & and < are written &amp; and &lt; */
				source: string;
				/** whether it is translated or left in the source language */
				state: "translated" | "left";
				/** the translation, with the same tags */
				target?: string;
			}[] | null;
			/** documents of the draft that were written */
			written?: string[] | null;
		};
	};
	/** Writes the translations of a job as XLIFF, or the translation memory as TMX. */
	TranslateExport: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job; needed for xliff, of tmx it chooses the languages */
			job_id?: string;
			/** xliff: the translations of the job; tmx: the translation memory */
			format: "xliff" | "tmx";
			/** of xliff only this translation; default all */
			path?: string;
			/** of XLIFF; default 2.1 */
			version?: "2.1" | "1.2";
			/** where the draft gets it: for xliff a folder, for tmx a file *.tmx; without it the result has the content, at most 32 MiB */
			to_path?: string;
		};
		result: {
			/** the bytes, in base64 */
			bytes_base64?: string;
			/** how many XLIFF documents, or entries of the memory, it has */
			entries: number;
			/** the name of the file in bytes_base64; several XLIFF documents come as a zip archive */
			name?: string;
			/** files that were written into the draft */
			written?: string[] | null;
		};
	};
	/** Takes XLIFF that people corrected into the translations of a job, or TMX into the translation memory. */
	TranslateImport: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job; needed for xliff */
			job_id?: string;
			/** xliff: corrections of the job's translations; tmx: entries for the translation memory */
			format: "xliff" | "tmx";
			/** a file of the workbench; for xliff a folder of such files too */
			path?: string;
			/** the name of the file whose bytes are in content */
			name?: string;
			/** instead of path the bytes of the file in base64, at most 32 MiB */
			content?: string;
		};
		result: {
			/** how many segments were stored as a person's */
			corrected: number;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** corrections that were not used, at most 500 */
			refused?: {
				/** what is wrong */
				code?: "" | "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place?: string;
				/** why the correction was not used */
				reason: string;
				/** the id of the segment */
				segment: string;
				/** the translation of the person, with the tags of the source */
				target: string;
			}[] | null;
			/** how many texts there are */
			segments: {
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** how long the translation may be, in UTF-16 units; 0: as long as it needs */
				max_length?: number;
				/** what the translation must mind */
				notes?: string[] | null;
				/** who translated it */
				origin?: "" | "machine" | "memory" | "person";
				/** the kind of place, such as body, header, cell or notes */
				part?: string;
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place: string;
				/** what a person should look at */
				remarks?: {
					/** what is wrong */
					code: "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
					/** what is wrong and what to do */
					message: string;
				}[] | null;
				/** the id of the segment in its document */
				segment: string;
				/** the text in the source language, with tags: <1>…</1> encloses formatting, <2/> is an object; & and < are written &amp; and &lt; */
				source: string;
				/** whether it is translated or left in the source language */
				state: "translated" | "left";
				/** the translation, with the same tags */
				target?: string;
			}[] | null;
			/** counts of an import of TMX */
			tmx?: {
				/** entries that were stored, over all pairs of languages */
				entries: number;
				/** units that were not stored whole: no text, no second language, or too long */
				skipped: number;
				/** units of the file */
				units: number;
				/** texts whose tags were not understood and were removed */
				untagged: number;
			} | null;
			/** documents of the draft that were written */
			written?: string[] | null;
		};
	};
	/** Lists the translation jobs of a workbench, the newest first. */
	TranslateList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the jobs, the last first */
			jobs: {
				/** the job's id in the cluster whose workers ask the model */
				cluster_job?: string;
				/** the currency of figures.cost */
				currency?: string;
				/** whether it only counts and estimates */
				dry_run?: boolean;
				/** when it ended, RFC 3339; left out while it runs */
				ended_at?: string;
				/** what translates */
				engine: string;
				/** why the job failed; of a complete job a report, XLIFF or TMX file that could not be written */
				error?: string;
				/** the kind of error */
				error_code?: string;
				/** how many documents failed */
				failed: number;
				/** what was counted; there when the job has ended */
				figures: {
					/** texts that the model has to be asked for (dry run) */
					ask_segments?: number;
					/** words that the model has to be asked for (dry run) */
					ask_words?: number;
					/** tokens of the input that came from the endpoint's cache */
					cached_tokens?: number;
					/** characters of the source text, without tags */
					characters: number;
					/** tokens of the model's answers */
					completion_tokens?: number;
					/** the cost of the tokens used; in a dry run estimated */
					cost?: number;
					/** tokens that would be answered, estimated (dry run) */
					estimated_completion_tokens?: number;
					/** tokens that would be sent, estimated (dry run) */
					estimated_prompt_tokens?: number;
					/** how many flags there are, of which flags has at most a hundred */
					flags_total: number;
					/** texts left in the source language */
					left: number;
					/** texts filled from the translation memory */
					memory: number;
					/** tokens sent to the model */
					prompt_tokens?: number;
					/** texts that repeat an earlier one */
					repetitions: number;
					/** texts that an earlier run of the job had translated */
					resumed: number;
					/** how many texts there are */
					segments: number;
					/** how many tool calls there were */
					tool_calls: number;
					/** texts that were translated, repetitions included */
					translated: number;
					/** how many requests to a model there were */
					turns: number;
					/** words of the source text; a Chinese, Japanese or Thai letter counts as one */
					words: number;
					/** tokens of the input that were written into the endpoint's cache, where it charges for that */
					written_tokens?: number;
				};
				/** how many translations there are to make: documents times languages */
				files: number;
				/** how many of the files are done */
				files_done: number;
				/** how many files a person should look at */
				flagged: number;
				/** the folder of the translations */
				folder?: string;
				/** whether the translation takes the original's place */
				in_place?: boolean;
				/** the translation job */
				job_id: string;
				/** what a person should know besides */
				note?: string;
				/** over atelier http: it waits for its turn, which note tells */
				queued?: boolean;
				/** when it began, RFC 3339 */
				started_at: string;
				/** how far the job is */
				status: "running" | "complete" | "canceled" | "interrupted" | "failed" | "budget_exceeded";
				/** the target languages, BCP 47 */
				to: string[] | null;
				/** how many files were written without a translation */
				untranslated?: number;
				/** how many XLIFF documents were written below xliff_out */
				xliff?: number;
			}[] | null;
		};
	};
	/** What the translation memory has that is like a text, and the terms in it. */
	TranslateMatches: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
			/** the language of the translation, one of the job */
			language: string;
			/** the source text, with its tags */
			text: string;
		};
		result: {
			/** what of the text must not be translated */
			keep?: string[] | null;
			/** entries of the translation memory, the most similar first */
			matches: {
				/** when it was written, RFC 3339 */
				changed: string;
				/** the document */
				input?: string;
				/** where the entry comes from */
				origin: "person" | "imported" | "machine";
				/** how similar the source is; 100: the same text */
				percent: number;
				/** the text in the source language */
				source: string;
				/** the translation */
				target: string;
			}[] | null;
			/** terms of the glossary that the text has */
			terms?: {
				/** whether target must not be used */
				forbidden?: boolean;
				/** what the glossary says of the term */
				note?: string;
				/** the text in the source language */
				source: string;
				/** the translation */
				target: string;
			}[] | null;
		};
	};
	/** What can translate, which files can be translated, and what the translation memory has. */
	TranslateOptions: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** what can translate */
			engines: {
				/** whether it can be used here */
				available: boolean;
				/** what translates */
				engine: string;
				/** the directions that are installed */
				pairs?: {
					/** the source language, BCP 47 */
					from: string;
					/** the target language, BCP 47 */
					to: string;
				}[] | null;
				/** why it cannot be used */
				why?: string;
			}[] | null;
			/** the files */
			files: {
				/** whether the file can be translated */
				can: boolean;
				/** the format, as Atelier knows it; folder for a folder */
				file_kind: string;
				/** whether it is in the draft */
				in_draft?: boolean;
				/** whether a job leaves the file out unless its paths name it: code, data and hidden files */
				only_named?: boolean;
				/** the file, relative to the workbench's root */
				path: string;
				/** size in bytes */
				size: number;
				/** why the file cannot be translated */
				why?: string;
			}[] | null;
			/** entries of the translation memory by languages */
			memory: {
				/** the source language; empty: unknown */
				from: string;
				/** entries of other tools */
				imported: number;
				/** entries of engines */
				machine: number;
				/** entries that people wrote or confirmed */
				person: number;
				/** the target language */
				to: string;
			}[] | null;
		};
	};
	/** Finds text in the translations of a job and replaces it, as corrections of a person. */
	TranslateReplace: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
			/** the text to replace, in translations; text with a tag in it is not found */
			find: string;
			/** what takes its place; with regexp $1 is the first group */
			replace: string;
			/** find is a regular expression (RE2) */
			regexp?: boolean;
			/** capital letters count */
			match_case?: boolean;
			/** only where no letter, digit or low line is beside it */
			whole_words?: boolean;
			/** only this translation of the job, by its place in the draft; default all */
			path?: string;
			/** only segments with this text in the source or the translation, in any case, without tags */
			text?: string;
			/** only segments that are so far: open (left, or with remarks and not confirmed), left (in the source language), translated, or whose translation is of a machine, the memory or a person */
			show?: "" | "open" | "left" | "translated" | "machine" | "memory" | "person";
			/** only segments with a remark of this kind, such as number or tags */
			code?: string;
			/** only find: the result has the first 50 segments as they would be */
			preview?: boolean;
		};
		result: {
			/** how many segments have the text only with a tag in it; they stay as they are */
			across?: number;
			/** how many segments were stored as a person's */
			corrected: number;
			/** how many segments it changes, at most 10,000 in one call */
			found: number;
			/** whether more follows */
			has_more?: boolean;
			/** how many places in them */
			matches: number;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** corrections that were not used, at most 500 */
			refused?: {
				/** what is wrong */
				code?: "" | "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place?: string;
				/** why the correction was not used */
				reason: string;
				/** the id of the segment */
				segment: string;
				/** the translation of the person, with the tags of the source */
				target: string;
			}[] | null;
			/** how many texts there are */
			segments: {
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** how long the translation may be, in UTF-16 units; 0: as long as it needs */
				max_length?: number;
				/** what the translation must mind */
				notes?: string[] | null;
				/** who translated it */
				origin?: "" | "machine" | "memory" | "person";
				/** the kind of place, such as body, header, cell or notes */
				part?: string;
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place: string;
				/** what a person should look at */
				remarks?: {
					/** what is wrong */
					code: "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
					/** what is wrong and what to do */
					message: string;
				}[] | null;
				/** the id of the segment in its document */
				segment: string;
				/** the text in the source language, with tags: <1>…</1> encloses formatting, <2/> is an object; & and < are written &amp; and &lt; */
				source: string;
				/** whether it is translated or left in the source language */
				state: "translated" | "left";
				/** the translation, with the same tags */
				target?: string;
			}[] | null;
			/** documents of the draft that were written */
			written?: string[] | null;
		};
	};
	/** The texts of a job with their translations, a window at a time; while it runs, of the documents that are written. */
	TranslateSegments: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
			/** only this translation of the job, by its place in the draft; default all */
			path?: string;
			/** only segments with this text in the source or the translation, in any case, without tags */
			text?: string;
			/** only segments that are so far: open (left, or with remarks and not confirmed), left (in the source language), translated, or whose translation is of a machine, the memory or a person */
			show?: "" | "open" | "left" | "translated" | "machine" | "memory" | "person";
			/** only segments with a remark of this kind, such as number or tags */
			code?: string;
			/** the first of the segments wanted, from 0, in the order of the documents */
			offset?: number;
			/** segments wanted, at most 500; default 100 */
			limit?: number;
			/** count the segments of each document too */
			counts?: boolean;
		};
		result: {
			/** counts of each translation */
			documents?: {
				/** how many a person wrote or confirmed */
				confirmed: number;
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** how many are in the source language */
				left: number;
				/** how many are left, or have remarks and are not confirmed */
				open: number;
				/** the file, relative to the workbench's root */
				path: string;
				/** how many segments it has */
				segments: number;
				/** whether the program ended before it wrote the document; TranslateCorrect without corrections writes it */
				unwritten?: boolean;
			}[] | null;
			/** how many texts there are */
			segments: {
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** how long the translation may be, in UTF-16 units; 0: as long as it needs */
				max_length?: number;
				/** what the translation must mind */
				notes?: string[] | null;
				/** who translated it */
				origin?: "" | "machine" | "memory" | "person";
				/** the kind of place, such as body, header, cell or notes */
				part?: string;
				/** the translation, by its place in the draft */
				path: string;
				/** where the text is */
				place: string;
				/** what a person should look at */
				remarks?: {
					/** what is wrong */
					code: "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
					/** what is wrong and what to do */
					message: string;
				}[] | null;
				/** the id of the segment in its document */
				segment: string;
				/** the text in the source language, with tags: <1>…</1> encloses formatting, <2/> is an object; & and < are written &amp; and &lt; */
				source: string;
				/** whether it is translated or left in the source language */
				state: "translated" | "left";
				/** the translation, with the same tags */
				target?: string;
			}[] | null;
			/** how many segments the params select */
			total: number;
		};
	};
	/** Translates documents of the workbench into its draft; answers at once, TranslateComplete says the end. */
	TranslateStart: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** files and folders, relative to the workbench's root; empty: all */
			paths?: string[] | null;
			/** the languages wanted, BCP 47 or English names */
			to: string[] | null;
			/** the language of the documents, BCP 47 or an English name; default: found out */
			from?: string;
			/** what translates; default the model */
			engine?: "model" | "pseudo" | "apertium" | "none";
			/** the model that translates; default the workbench's */
			model?: string;
			/** the translation takes the original's place in the draft; for one language */
			in_place?: boolean;
			/** where translations go, a folder for each language below it; default "translated" */
			folder?: string;
			/** a CSV or TBX file of the workbench */
			glossary?: string;
			/** what the model is told for this work, in words */
			instructions?: string;
			/** what stays as it is: words, wildcards such as SKU-*, /regular expressions/, or @FILE with one a line, a file of the workbench */
			do_not_translate?: string[] | null;
			/** translate the names of sheets too */
			sheet_names?: boolean;
			/** translate the texts of slide masters and layouts too */
			masters?: boolean;
			/** do again what is done, and replace what is in the way */
			force?: boolean;
			/** bounds of the work: tokens, cost, seconds; what is left out is as the engine was set up */
			budget?: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			} | null;
			/** leave in the source language what misses a term or a number, instead of flagging it */
			strict?: boolean;
			/** translate sentence by sentence: more repetitions and memory hits, less context */
			sentences?: boolean;
			/** count words, repetitions and memory hits and estimate tokens and cost; nothing is asked and no translation is written */
			dry_run?: boolean;
			/** TMX files of the workbench to read into its translation memory first, at most 20 */
			tmx?: string[] | null;
			/** a file *.tmx to write the translation memory to at the end; it goes into the draft */
			tmx_out?: string;
			/** a folder of XLIFF documents (1.1, 1.2, 2.x) that people have reviewed, or one document: what they say goes before everything else */
			xliff_in?: string;
			/** a folder for an XLIFF document of each translation, for people to review; it goes into the draft */
			xliff_out?: string;
			/** the XLIFF version that xliff_out gets; default 2.1 */
			xliff_version?: "2.1" | "1.2";
			/** files to write a report to, at most 20: a page when the name ends in .html, data when it ends in .json; they go into the draft */
			reports?: string[] | null;
			/** money for a million tokens to the model (input) and from it (output), for the cost; default the price in the settings */
			price?: {
				/** the document */
				input: number;
				/** the translation */
				output: number;
			} | null;
			/** documents at once, 1 to 16; default 2, with cluster 16 */
			jobs?: number;
			/** requests a minute at most; default as the endpoint allows */
			rate?: number;
			/** tokens a minute at most */
			token_rate?: number;
			/** let the workers of the cluster ask the model that Atelier was started with (--cluster); the job is the same without */
			cluster?: boolean;
		};
		result: {
			/** the translation job */
			job_id: string;
			/** whether the workbench knew the job, which continues */
			resumed?: boolean;
		};
	};
	/** How far a translation job is, and what became of each file. */
	TranslateStatus: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the job, as TranslateStart and TranslateList give it */
			job_id: string;
			/** the first of the files wanted, from 0 */
			offset?: number;
			/** at most so many entries in one answer */
			limit?: number;
		};
		result: {
			/** the job's id in the cluster whose workers ask the model */
			cluster_job?: string;
			/** the currency of figures.cost */
			currency?: string;
			/** whether it only counts and estimates */
			dry_run?: boolean;
			/** when it ended, RFC 3339; left out while it runs */
			ended_at?: string;
			/** what translates */
			engine: string;
			/** why the job failed; of a complete job a report, XLIFF or TMX file that could not be written */
			error?: string;
			/** the kind of error */
			error_code?: string;
			/** how many documents failed */
			failed: number;
			/** what was counted; there when the job has ended */
			figures: {
				/** texts that the model has to be asked for (dry run) */
				ask_segments?: number;
				/** words that the model has to be asked for (dry run) */
				ask_words?: number;
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens?: number;
				/** characters of the source text, without tags */
				characters: number;
				/** tokens of the model's answers */
				completion_tokens?: number;
				/** the cost of the tokens used; in a dry run estimated */
				cost?: number;
				/** tokens that would be answered, estimated (dry run) */
				estimated_completion_tokens?: number;
				/** tokens that would be sent, estimated (dry run) */
				estimated_prompt_tokens?: number;
				/** how many flags there are, of which flags has at most a hundred */
				flags_total: number;
				/** texts left in the source language */
				left: number;
				/** texts filled from the translation memory */
				memory: number;
				/** tokens sent to the model */
				prompt_tokens?: number;
				/** texts that repeat an earlier one */
				repetitions: number;
				/** texts that an earlier run of the job had translated */
				resumed: number;
				/** how many texts there are */
				segments: number;
				/** how many tool calls there were */
				tool_calls: number;
				/** texts that were translated, repetitions included */
				translated: number;
				/** how many requests to a model there were */
				turns: number;
				/** words of the source text; a Chinese, Japanese or Thai letter counts as one */
				words: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			};
			/** how many translations there are to make: documents times languages */
			files: number;
			/** how many of the files are done */
			files_done: number;
			/** how many files a person should look at */
			flagged: number;
			/** the folder of the translations */
			folder?: string;
			/** whether more follows */
			has_more?: boolean;
			/** whether the translation takes the original's place */
			in_place?: boolean;
			/** the translation job */
			job_id: string;
			/** what a person should know besides */
			note?: string;
			/** the params of TranslateStart, which continue the job */
			params?: {
				/** bounds of the work: tokens, cost, seconds; what is left out is as the engine was set up */
				budget?: {
					/** money at most, in the currency of the prices */
					cost?: number;
					/** seconds at most */
					seconds?: number;
					/** tokens at most, sent and answered */
					tokens?: number;
					/** money at most of the workbench in all */
					workbench_cost?: number;
					/** tokens at most of the workbench in all */
					workbench_tokens?: number;
				} | null;
				/** let the workers of the cluster ask the model that Atelier was started with (--cluster); the job is the same without */
				cluster?: boolean;
				/** what stays as it is: words, wildcards such as SKU-*, /regular expressions/, or @FILE with one a line, a file of the workbench */
				do_not_translate?: string[] | null;
				/** count words, repetitions and memory hits and estimate tokens and cost; nothing is asked and no translation is written */
				dry_run?: boolean;
				/** what translates; default the model */
				engine?: string;
				/** where translations go, a folder for each language below it; default "translated" */
				folder?: string;
				/** do again what is done, and replace what is in the way */
				force?: boolean;
				/** the language of the documents, BCP 47 or an English name; default: found out */
				from?: string;
				/** a CSV or TBX file of the workbench */
				glossary?: string;
				/** the translation takes the original's place in the draft; for one language */
				in_place?: boolean;
				/** what the model is told for this work, in words */
				instructions?: string;
				/** documents at once, 1 to 16; default 2, with cluster 16 */
				jobs?: number;
				/** translate the texts of slide masters and layouts too */
				masters?: boolean;
				/** the model that translates; default the workbench's */
				model?: string;
				/** files and folders, relative to the workbench's root; empty: all */
				paths?: string[] | null;
				/** money for a million tokens to the model (input) and from it (output), for the cost; default the price in the settings */
				price?: {
					/** the document */
					input: number;
					/** the translation */
					output: number;
				} | null;
				/** requests a minute at most; default as the endpoint allows */
				rate?: number;
				/** files to write a report to, at most 20: a page when the name ends in .html, data when it ends in .json; they go into the draft */
				reports?: string[] | null;
				/** translate sentence by sentence: more repetitions and memory hits, less context */
				sentences?: boolean;
				/** translate the names of sheets too */
				sheet_names?: boolean;
				/** leave in the source language what misses a term or a number, instead of flagging it */
				strict?: boolean;
				/** TMX files of the workbench to read into its translation memory first, at most 20 */
				tmx?: string[] | null;
				/** a file *.tmx to write the translation memory to at the end; it goes into the draft */
				tmx_out?: string;
				/** the languages wanted, BCP 47 or English names */
				to: string[] | null;
				/** tokens a minute at most */
				token_rate?: number;
				/** the workbench, as WorkbenchCreate and WorkbenchList give it */
				workbench_id: string;
				/** a folder of XLIFF documents (1.1, 1.2, 2.x) that people have reviewed, or one document: what they say goes before everything else */
				xliff_in?: string;
				/** a folder for an XLIFF document of each translation, for people to review; it goes into the draft */
				xliff_out?: string;
				/** the XLIFF version that xliff_out gets; default 2.1 */
				xliff_version?: string;
			} | null;
			/** over atelier http: it waits for its turn, which note tells */
			queued?: boolean;
			/** the outcome of each document */
			results: {
				/** texts that the model has to be asked for (dry run) */
				ask_segments?: number;
				/** words that the model has to be asked for (dry run) */
				ask_words?: number;
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens?: number;
				/** characters of the source text, without tags */
				characters: number;
				/** tokens of the model's answers */
				completion_tokens?: number;
				/** the cost of the tokens used; in a dry run estimated */
				cost?: number;
				/** of a skipped document: segments with flags in the copy that an earlier run wrote and nobody has changed since */
				earlier_flags?: number;
				/** why the document failed */
				error?: string;
				/** tokens that would be answered, estimated (dry run) */
				estimated_completion_tokens?: number;
				/** tokens that would be sent, estimated (dry run) */
				estimated_prompt_tokens?: number;
				/** texts that a person should look at, at most 100 */
				flags?: {
					/** what is wrong */
					code: "empty" | "tags" | "placeholder" | "address" | "verbatim" | "protected" | "length" | "number" | "number_order" | "term" | "forbidden" | "blanks" | "untranslated" | "script" | "chatter" | "punctuation" | "length_ratio" | "control_chars" | "no_answer" | "repaired" | "xliff";
					/** where the text is */
					place: string;
					/** why, in words */
					reason: string;
					/** the id of the text */
					segment: string;
					/** the text in the source language */
					source: string;
					/** the translation */
					target?: string;
				}[] | null;
				/** how many flags there are, of which flags has at most a hundred */
				flags_total: number;
				/** the document */
				input: string;
				/** the target language, BCP 47 */
				language: string;
				/** texts left in the source language */
				left: number;
				/** texts filled from the translation memory */
				memory: number;
				/** the translation */
				output: string;
				/** tokens sent to the model */
				prompt_tokens?: number;
				/** texts that repeat an earlier one */
				repetitions: number;
				/** texts that an earlier run of the job had translated */
				resumed: number;
				/** the content of the failed document is not the reason, but a model or a file system: a later run may succeed */
				retryable?: boolean;
				/** how many texts there are */
				segments: number;
				/** the outcome of the document */
				status: "ok" | "flagged" | "skipped" | "failed" | "planned";
				/** how many tool calls there were */
				tool_calls: number;
				/** texts that were translated, repetitions included */
				translated: number;
				/** how many requests to a model there were */
				turns: number;
				/** warnings about the file as a whole, such as a changed encoding */
				warnings?: string[] | null;
				/** words of the source text; a Chinese, Japanese or Thai letter counts as one */
				words: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			}[] | null;
			/** when it began, RFC 3339 */
			started_at: string;
			/** how far the job is */
			status: "running" | "complete" | "canceled" | "interrupted" | "failed" | "budget_exceeded";
			/** the target languages, BCP 47 */
			to: string[] | null;
			/** how many files were written without a translation */
			untranslated?: number;
			/** how many XLIFF documents were written below xliff_out */
			xliff?: number;
		};
	};
	/** Adds a part to an upload. */
	UploadAppend: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the upload, as UploadBegin gave it */
			upload_id: string;
			/** where the part begins: the bytes received so far; the part received last may come again */
			offset: number;
			/** the bytes in base64, at most 8 MiB in one part */
			bytes_base64: string;
		};
		result: {
			/** whether all its bytes were received */
			complete: boolean;
			/** the bytes received so far: where the next part begins */
			received: number;
			/** the upload, for UploadAppend, messages and WorkbenchFilesAdd */
			upload_id: string;
		};
	};
	/** Begins a file that a client sends in parts, for a message or for WorkbenchFilesAdd; it lasts an hour after its last part. */
	UploadBegin: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the name of the file, without folders */
			name: string;
			/** the bytes of the whole file, at most 104857600 */
			size: number;
		};
		result: {
			/** whether all its bytes were received */
			complete: boolean;
			/** the bytes received so far: where the next part begins */
			received: number;
			/** the upload, for UploadAppend, messages and WorkbenchFilesAdd */
			upload_id: string;
		};
	};
	/** Drops an upload. */
	UploadDiscard: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the upload, as UploadBegin gave it */
			upload_id: string;
		};
		result: {};
	};
	/** What runs of every workbench may take, as the user has set it. */
	UserGetBudget: {
		params: {};
		result: {
			/** what is set here; what is left out is not */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
			/** what a run that sets no budget has: this one, else the user's, else the program's */
			effective: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
	};
	/** Whether the user is asked before documents leave this machine. */
	UserGetConsentMode: {
		params: {};
		result: {
			/** the mode */
			mode: "ask" | "allow_all" | "local_only";
		};
	};
	/** The model of workbenches without one of their own. */
	UserGetDefaultModel: {
		params: {};
		result: {
			/** the model */
			model_id: string;
		};
	};
	/** Sets it; it counts from the next run on. Bounds that are left out are the program's again. */
	UserSetBudget: {
		params: {
			/** bounds of each run and of each workbench; what is left out is as the program was set up */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
		result: {
			/** what is set here; what is left out is not */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
			/** what a run that sets no budget has: this one, else the user's, else the program's */
			effective: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
	};
	/** Turns asking off for all providers and files, or on again. */
	UserSetConsentMode: {
		params: {
			/** whether the user is asked before documents are sent */
			mode: "ask" | "allow_all";
			/** the user was asked and agreed; allow_all needs it */
			approved?: boolean;
		};
		result: {};
	};
	/** Sets it; an empty one is the built-in default again. */
	UserSetDefaultModel: {
		params: {
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
		};
		result: {};
	};
	/** Gives a workbench another folder, such as its own that was moved or restored; drafts, checkpoints and conversation stay. It must not be open. */
	WorkbenchAttach: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** an absolute path of a folder of the host */
			root: string;
		};
		result: {
			/** when it was made, RFC 3339 */
			created_at: string;
			/** whether Atelier made the folder and owns it */
			managed: boolean;
			/** the name */
			name: string;
			/** what opening it repaired, one sentence each */
			recovered?: string[] | null;
			/** the folder that it works on, an absolute path */
			root: string;
			/** when it last changed, RFC 3339 */
			updated_at: string;
			/** the workbench */
			workbench_id: string;
		};
	};
	/** What is different between two versions of a file, in its format's terms or by its text. */
	WorkbenchCompareFileVersions: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
			/** the file, instead of path; it stays the same when the file is moved */
			file_id?: string;
			/** the version, as WorkbenchFileVersions gives it, or its hash, or the beginning of either */
			version_id: string;
			/** the version to compare with; default the one the file has now */
			with?: string;
			/** at most so many items in one answer, default 1000; the counts are of all */
			max_items?: number;
			/** next of the part before; "" begins at the beginning */
			start?: string;
			/** at most so many changed lines in one answer; default 2000, at most 20000 */
			max_lines?: number;
		};
		result: {
			/** the changes in the terms of the format, if it has any */
			content?: {
				/** whether there is no published file, so that everything is new except what was copied */
				baseline_missing: boolean;
				/** the file that this one was copied from */
				copied_from?: string;
				/** the changes other than to the text of cells, paragraphs and shapes */
				facts: {
					/** where it is in the new file; for removed items in the old one */
					at?: string;
					/** what happened to it */
					change: "added" | "changed" | "removed" | "moved";
					/** the id of the fact, which depends on the two contents only */
					id: string;
					/** what kind of thing it is */
					kind: string;
					/** what it is now, in words */
					new?: string;
					/** what it was, in words */
					old?: string;
					/** why it cannot be taken back alone, where requires was asked for */
					reason?: string;
					/** the ids of the changes that have to be taken back with it, where they were asked for */
					requires?: string[] | null;
					/** whether it can be taken back without the whole file; sure only where requires was asked for */
					revertible: boolean;
					/** why a person should look, in a sentence that names the place */
					warning?: string;
				}[] | null;
				/** how many facts are not listed */
				facts_omitted?: number;
				/** the format, as Atelier knows it; folder for a folder */
				file_kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary" | "folder";
				/** what changed, one group for each sheet, slide, section or other part, in the order of the new file */
				groups: {
					/** what happened to it */
					change: "added" | "removed" | "modified" | "moved" | "renamed" | "formatting";
					/** where it was, or what it was called before */
					from?: string;
					/** what changed in the group */
					items: {
						/** where it is in the new file; for removed items in the old one */
						at?: string;
						/** what happened to it */
						change: "added" | "removed" | "modified" | "moved" | "renamed" | "formatting";
						/** where it was, or what it was called before */
						from?: string;
						/** its id */
						id?: string;
						/** what it is now, in words */
						new?: string;
						/** what a person should know besides, one sentence each */
						notes?: string[] | null;
						/** what it was, in words */
						old?: string;
						/** why it cannot be taken back alone, where requires was asked for */
						reason?: string;
						/** the ids of the changes that have to be taken back with it, where they were asked for */
						requires?: string[] | null;
						/** whether it can be taken back without the whole file; sure only where requires was asked for */
						revertible?: boolean;
					}[] | null;
					/** the name of the part */
					name: string;
				}[] | null;
				/** why there is nothing to show, in words */
				message?: string;
				/** how many items are not listed */
				omitted?: number;
				/** the file, relative to the workbench's root */
				path: string;
				/** the changes in a few words, such as 12 cells in 2 sheets */
				summary: string;
				/** what the change makes the document do: access something outside, run code, hide or lose content */
				warnings?: string[] | null;
			} | null;
			/** the older version */
			from: string;
			/** whether both versions have the same bytes */
			same: boolean;
			/** the changes of the text, if there is no content */
			text?: {
				/** how many lines were added in these hunks */
				added: number;
				/** whether there is no published file, so that everything is new except what was copied */
				baseline_missing: boolean;
				/** the changes with the lines around them */
				hunks: {
					/** its id */
					id?: string;
					/** the lines */
					lines: {
						/** bytes of the line left out after text */
						cut?: number;
						/** bytes of the line left out before text */
						from?: number;
						/** the number of the line in the new text, from 1 */
						new_line?: number;
						/** the number of the line in the old text, from 1 */
						old_line?: number;
						/** the line without its terminator */
						text: string;
						/** whether the line stayed, was added or was removed */
						type: "context" | "added" | "removed";
					}[] | null;
				}[] | null;
				/** why there is nothing to show, in words */
				message?: string;
				/** start of the next part; "" for the last one */
				next?: string;
				/** what a person should know besides */
				note?: string;
				/** the file, relative to the workbench's root */
				path: string;
				/** how many lines were removed in these hunks */
				removed: number;
				/** always false: large files are compared in parts */
				too_large: boolean;
				/** which part of the text this is, if it is not all of it */
				window?: {
					/** the first line of the new text */
					new_from: number;
					/** the last line of the new text */
					new_to: number;
					/** the first line of the old text */
					old_from: number;
					/** the last line of the old text */
					old_to: number;
					/** how similar the source is; 100: the same text */
					percent: number;
				} | null;
			} | null;
			/** the newer version */
			to: string;
		};
	};
	/** Makes a workbench: on a folder of the user's when root is given, else a managed one. */
	WorkbenchCreate: {
		params: {
			/** what the workbench is called in lists */
			name: string;
			/** an absolute path of a folder of the host */
			root?: string;
			/** the root is another folder than the one that stood at its path before: it gets a workbench of its own */
			another?: boolean;
		};
		result: {
			/** the folder that it works on, an absolute path */
			root: string;
			/** the workbench */
			workbench_id: string;
		};
	};
	/** Deletes a workbench's state; a managed one's files too, a user's own folder never. */
	WorkbenchDelete: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {};
	};
	/** The versions of a file: what was published, the steps of drafts, what is on disk. */
	WorkbenchFileVersions: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
			/** the file, instead of path; it stays the same when the file is moved */
			file_id?: string;
			/** at most so many entries in one answer */
			limit?: number;
			/** before of the page before: only versions older than this */
			before?: string;
		};
		result: {
			/** before of the next page; left out on the last one */
			before?: string;
			/** how many there are in all */
			total: number;
			/** the versions, the newest first */
			versions: {
				/** who wrote it: agent, user for what was found on disk, or a user's id */
				author: string;
				/** the checkpoint of the publish that made it */
				checkpoint_id?: string;
				/** when the content was written, or first seen, RFC 3339 */
				created_at: string;
				/** whether the file has this content now, in the draft if that has the file */
				current?: boolean;
				/** SHA-256 of the content, in hexadecimal digits; "" when the file was removed */
				hash?: string;
				/** whether it is a step of a draft, which was not published as it is */
				in_draft?: boolean;
				/** the path of the file at that time */
				path: string;
				/** size in bytes */
				size: number;
				/** the tool that made it, for a step of a draft */
				tool?: string;
				/** the version of the file */
				version_id: string;
			}[] | null;
		};
	};
	/** Copies files of the host into the workbench; each has its own status. */
	WorkbenchFilesAdd: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** absolute paths of files and folders of the host */
			source_paths?: string[] | null;
			/** ids of complete uploads to add; those that are added are dropped */
			uploads?: string[] | null;
		};
		result: {
			/** the outcome for each file */
			add_results: {
				/** the name of the file where it is now */
				file_name: string;
				/** why, in words */
				reason?: string;
				/** the file as the call named it */
				source_path: string;
				/** what became of the file */
				status: "added" | "removed" | "extracted" | "rejected" | "failed";
			}[] | null;
		};
	};
	/** Copies published files to a folder of the host, renaming on collision. */
	WorkbenchFilesExtract: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** a folder of the host; it must exist */
			destination_dir: string;
			/** paths relative to the workbench's root; empty: all */
			workbench_paths: string[] | null;
		};
		result: {
			/** the outcome for each file */
			extract_results: {
				/** the name of the file where it is now */
				file_name: string;
				/** why, in words */
				reason?: string;
				/** the file as the call named it */
				source_path: string;
				/** what became of the file */
				status: "added" | "removed" | "extracted" | "rejected" | "failed";
			}[] | null;
		};
	};
	/** Lists the files, those of the draft included. */
	WorkbenchFilesList: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** at most so many files in one answer; default 0, all */
			limit?: number;
			/** only files whose paths come behind this one in byte order, which need not be there */
			after?: string;
		};
		result: {
			/** the files */
			files: {
				/** whether the published file was changed, removed or added since the draft was based on it; publishing it is a conflict */
				changed_outside?: boolean;
				/** the format, as Atelier knows it; folder for a folder */
				file_kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary";
				/** whether it is in the draft */
				in_draft?: boolean;
				/** whether Atelier cannot read the content */
				is_opaque: boolean;
				/** the MIME type */
				mime_type: string;
				/** when the file last changed, RFC 3339 */
				modified_at: string;
				/** the file, relative to the workbench's root */
				path: string;
				/** corrections that were not used, at most 500 */
				refused?: string;
				/** size in bytes */
				size: number;
			}[] | null;
			/** there are more files: ask again with after, the path of the last one */
			more?: boolean;
		};
	};
	/** Removes published files; their content stays in a checkpoint. */
	WorkbenchFilesRemove: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** paths relative to the workbench's root; empty: all */
			workbench_paths: string[] | null;
		};
		result: {
			/** the outcome for each file */
			remove_results: {
				/** the name of the file where it is now */
				file_name: string;
				/** why, in words */
				reason?: string;
				/** the file as the call named it */
				source_path: string;
				/** what became of the file */
				status: "added" | "removed" | "extracted" | "rejected" | "failed";
			}[] | null;
		};
	};
	/** Forgets the passwords that were given for a workbench. */
	WorkbenchForgetPasswords: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {};
	};
	/** What runs of a workbench may take, as set for it. */
	WorkbenchGetBudget: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** what is set here; what is left out is not */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
			/** what a run that sets no budget has: this one, else the user's, else the program's */
			effective: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
	};
	/** How full the active model's window is with the next request, and what standing context takes of it. */
	WorkbenchGetClutter: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** tokens at which earlier turns are summarised; 0: only when the endpoint refuses a request */
			compacts_at: number;
			/** files of .atelier/context that the model does not get whole */
			context_cut: string[] | null;
			/** tokens of standing context */
			context_items_weight: number;
			/** how much of the window the standing context takes, 0 to 1 */
			context_share: number;
			/** whether some context is cut, or takes 0.35 of the window or more */
			context_warning: boolean;
			/** tokens of the conversation in the next request */
			conversation_tokens: number;
			/** how full the window is: Light below 0.4, Heavy from 0.7 */
			level: "Light" | "Moderate" | "Heavy";
			/** the model */
			model_id: string;
			/** how much of the window is used, 0 to 1 */
			score: number;
			/** tokens of the next request, estimated */
			tokens: number;
			/** the model's window in tokens: a request and its answer together */
			window: number;
			/** whether the window is known; false: it is assumed */
			window_known: boolean;
		};
	};
	/** The model of a workbench while none is chosen with WorkshopSetActiveModel. */
	WorkbenchGetDefaultModel: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the model */
			model_id: string;
		};
	};
	/** One version of a file. */
	WorkbenchGetFileVersion: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
			/** the file, instead of path; it stays the same when the file is moved */
			file_id?: string;
			/** the version, as WorkbenchFileVersions gives it, or its hash, or the beginning of either */
			version_id: string;
		};
		result: {
			/** who wrote it: agent, user for what was found on disk, or a user's id */
			author: string;
			/** the checkpoint of the publish that made it */
			checkpoint_id?: string;
			/** when the content was written, or first seen, RFC 3339 */
			created_at: string;
			/** whether the file has this content now, in the draft if that has the file */
			current?: boolean;
			/** SHA-256 of the content, in hexadecimal digits; "" when the file was removed */
			hash?: string;
			/** whether it is a step of a draft, which was not published as it is */
			in_draft?: boolean;
			/** the path of the file at that time */
			path: string;
			/** size in bytes */
			size: number;
			/** the tool that made it, for a step of a draft */
			tool?: string;
			/** the version of the file */
			version_id: string;
		};
	};
	/** Limits, supported extensions and root folder. */
	WorkbenchGetScope: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** what a workbench can hold */
			limits: {
				/** the largest size of a file in bytes */
				max_file_bytes: number;
				/** the largest number of files */
				max_files: number;
			};
			/** the folder that paths are relative to */
			sandbox_root: string;
			/** the file extensions that tools can read */
			supported_types: string[] | null;
		};
	};
	/** What the requests to models took: tokens and costs of the workbench, of each model and of each run. */
	WorkbenchGetUsage: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** next_before of the page before; 0: the last runs */
			before?: number;
			/** at most so many entries in one answer */
			limit?: number;
		};
		result: {
			/** what each model took on each day, the last day first; at most 400 rows */
			days: {
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** the day in UTC, such as 2026-05-31 */
				day: string;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** the model */
				model_id: string;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** the provider */
				provider_id: string;
				/** how many requests were made */
				requests: number;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			}[] | null;
			/** whether more follows */
			has_more: boolean;
			/** the sums for each model */
			models: {
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** the model */
				model_id: string;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** the provider */
				provider_id: string;
				/** how many requests were made */
				requests: number;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			}[] | null;
			/** before of the next page */
			next_before?: number;
			/** the runs, the last first */
			runs: {
				/** when it began, RFC 3339 */
				begun_at: string;
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** what made the requests */
				kind: "run" | "translation" | "compaction";
				/** the message of the user that a run answers */
				message_id?: string;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** the sums of each phase and purpose, when there is more than one */
				parts?: {
					/** tokens of the input that came from the endpoint's cache */
					cached_tokens: number;
					/** the costs, one entry for each currency */
					costs?: {
						/** the amount */
						amount: number;
						/** the currency, such as EUR */
						currency: string;
					}[] | null;
					/** requests whose tokens are estimated because the endpoint did not count them */
					estimated_requests: number;
					/** requests that were refused, broke off or were canceled */
					failed_requests: number;
					/** tokens sent to the model */
					input_tokens: number;
					/** requests without an answer so far, or ever */
					open_requests: number;
					/** tokens of the model's answers */
					output_tokens: number;
					/** the phase of a run in phases; left out for other runs */
					phase: string;
					/** what the requests were for: a turn of the run, or a summary of the earlier conversation */
					purpose: "turn" | "summary";
					/** how many requests were made */
					requests: number;
					/** requests that are not in costs because no price was known */
					unpriced_requests: number;
					/** tokens of the input that were written into the endpoint's cache, where it charges for that */
					written_tokens?: number;
				}[] | null;
				/** how many requests were made */
				requests: number;
				/** the run */
				run_id: string;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			}[] | null;
			/** the sums of the workbench */
			totals: {
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** how many requests were made */
				requests: number;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			};
			/** the workbench */
			workbench_id: string;
		};
	};
	/** Gives a password that opens encrypted files of a workbench (xlsx, docx, pptx, pdf). It is kept in memory until the engine ends, and no model sees it. With path it is tried on that file, and only kept if it opens it: else the error is WRONG_PASSWORD. */
	WorkbenchGivePassword: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** a password of encrypted files; it is kept in memory only, and never given back */
			password: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
		};
		result: {
			/** whether the password opens the file */
			opened: boolean;
		};
	};
	/** Lists the workbenches. */
	WorkbenchList: {
		params: {};
		result: {
			/** the workbenches */
			workbenches: {
				/** when it was made, RFC 3339 */
				created_at: string;
				/** whether Atelier made the folder and owns it */
				managed: boolean;
				/** the name */
				name: string;
				/** what opening it repaired, one sentence each */
				recovered?: string[] | null;
				/** the folder that it works on, an absolute path */
				root: string;
				/** when it last changed, RFC 3339 */
				updated_at: string;
				/** the workbench */
				workbench_id: string;
			}[] | null;
		};
	};
	/** Opens a workbench for writing and says what a crash left to repair. If another process has it open, in_use names that process: methods that read work, those that write fail until it ends. */
	WorkbenchOpen: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the other process that has the workbench open for writing, so that it can only be read; left out when there is none */
			in_use?: {
				/** what is in progress; left out when nothing is */
				activity?: "run" | "translation" | "summary" | "publish" | "discard" | "revert" | "undo" | "checkpoint" | "restore" | "attach" | "delete";
				/** the process id; "" when it is not known */
				process: string;
			} | null;
			/** the workbench */
			workbench: {
				/** when it was made, RFC 3339 */
				created_at: string;
				/** whether Atelier made the folder and owns it */
				managed: boolean;
				/** the name */
				name: string;
				/** what opening it repaired, one sentence each */
				recovered?: string[] | null;
				/** the folder that it works on, an absolute path */
				root: string;
				/** when it last changed, RFC 3339 */
				updated_at: string;
				/** the workbench */
				workbench_id: string;
			};
		};
	};
	/** The content of a version of a file, or a part of it. */
	WorkbenchReadFileVersion: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
			/** the file, instead of path; it stays the same when the file is moved */
			file_id?: string;
			/** the version, as WorkbenchFileVersions gives it, or its hash, or the beginning of either */
			version_id: string;
			/** the first byte wanted, from 0 */
			offset?: number;
			/** at most so many bytes in one answer; default 1 MiB, at most 8 MiB */
			max_bytes?: number;
		};
		result: {
			/** the bytes, in base64 */
			bytes_base64: string;
			/** whether more follows */
			has_more: boolean;
			/** the first byte of this part */
			offset: number;
			/** the version */
			version: {
				/** who wrote it: agent, user for what was found on disk, or a user's id */
				author: string;
				/** the checkpoint of the publish that made it */
				checkpoint_id?: string;
				/** when the content was written, or first seen, RFC 3339 */
				created_at: string;
				/** whether the file has this content now, in the draft if that has the file */
				current?: boolean;
				/** SHA-256 of the content, in hexadecimal digits; "" when the file was removed */
				hash?: string;
				/** whether it is a step of a draft, which was not published as it is */
				in_draft?: boolean;
				/** the path of the file at that time */
				path: string;
				/** size in bytes */
				size: number;
				/** the tool that made it, for a step of a draft */
				tool?: string;
				/** the version of the file */
				version_id: string;
			};
		};
	};
	/** Makes a version of a file what the draft has for it, as one step that can be undone; other files stay as they are. */
	WorkbenchRestoreFileVersion: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path?: string;
			/** the file, instead of path; it stays the same when the file is moved */
			file_id?: string;
			/** the version, as WorkbenchFileVersions gives it, or its hash, or the beginning of either */
			version_id: string;
		};
		result: {
			/** the file; it stays the same when the file is moved */
			file_id: string;
			/** whether there is a draft */
			has_draft: boolean;
			/** SHA-256 of the content, in hexadecimal digits */
			hash: string;
			/** WorkshopUndoToMessage with before takes the step back; "" when nothing was done */
			message_id?: string;
			/** the file, relative to the workbench's root */
			path: string;
			/** the version that the file had before */
			replaced?: string;
			/** the version that was named */
			restored: string;
			/** whether nothing was changed */
			unchanged?: boolean;
			/** the new version, which has the content of the one that was named */
			version_id: string;
		};
	};
	/** Sets it; it counts from the next run on. Bounds that are left out are the user's again. */
	WorkbenchSetBudget: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** bounds of each run and of the workbench in all; what is left out is as UserSetBudget says, else as the program was set up */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
		result: {
			/** what is set here; what is left out is not */
			budget: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
			/** what a run that sets no budget has: this one, else the user's, else the program's */
			effective: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			};
		};
	};
	/** Sets it; an empty one is the user's default again. */
	WorkbenchSetDefaultModel: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
		};
		result: {};
	};
	/** Gives a file a docPath of its own, which it keeps when it is changed or moved. */
	WorkbenchSetDocPath: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the file, relative to the workbench's root, with / between folders */
			path: string;
			/** the name of the workbench in doc paths; "" gives back the default one */
			doc_path: string;
		};
		result: {
			/** the name of the workbench in doc paths */
			doc_path: string;
		};
	};
	/** Answers a pending question; each answer must fit its schema. */
	WorkshopAnswerQuestion: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the question, as WorkshopQuestionPending gave it */
			question_id: string;
			/** the answers, by the name of the question; each fits its question's schema */
			answers: { [name: string]: any };
		};
		result: {
			/** whether the answers were taken */
			accepted: boolean;
		};
	};
	/** Not supported: the proposal flow was replaced by WorkshopRunAgent. */
	WorkshopApplyProposal: {
		params: {};
		result: {};
	};
	/** Asks the run in progress to stop; what was finished is kept. */
	WorkshopCancelRun: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** whether something was in progress, which was asked to stop */
			cancel_requested: boolean;
		};
	};
	/** Has the model sum up the conversation now; the turns summed up stay stored. */
	WorkshopCompact: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
			/** what the summary must not lose, in words; at most 4000 characters */
			keep?: string;
			/** how many messages of the user stay word for word, with all that came of them */
			keep_turns?: number;
		};
		result: {
			/** the summaries that the model continues with */
			summaries: string[] | null;
			/** how many messages a summary replaces; 0: a summary was not worth it */
			summarised: number;
			/** tokens after, estimated */
			tokens_are: number;
			/** tokens before, estimated */
			tokens_were: number;
			/** WorkshopUndoToMessage with it takes the summaries back; "" when there is no message */
			undo_to: string;
			/** the model's window in tokens; 128000 when it is not known */
			window: number;
		};
	};
	/** The rules about what a model has to ask for, and what was allowed for good. */
	WorkshopGetApprovals: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the rules of the settings file, which come after those of the workbench */
			config_rules: {
				/** what happens to the call */
				action: "allow" | "ask" | "deny";
				/** what the call does to a file; default any */
				effect?: "read" | "write" | "delete";
				/** a pattern such as contracts/**; default any */
				path?: string;
				/** a pattern of tool names; default any */
				tool?: string;
			}[] | null;
			/** the calls that are allowed for good */
			granted: {
				/** what the call does to a file */
				effect?: "read" | "write" | "delete";
				/** when the user allowed it, RFC 3339 */
				granted_at?: string;
				/** what the tool of another program was when it was allowed; one that has changed is asked about again */
				of?: string;
				/** a pattern such as contracts/** */
				path: string;
				/** the name of the tool */
				tool: string;
			}[] | null;
			/** the rules of the workbench, the first that fits decides */
			rules: {
				/** what happens to the call */
				action: "allow" | "ask" | "deny";
				/** what the call does to a file; default any */
				effect?: "read" | "write" | "delete";
				/** a pattern such as contracts/**; default any */
				path?: string;
				/** a pattern of tool names; default any */
				tool?: string;
			}[] | null;
		};
	};
	/** The whole conversation, tool calls and results included. */
	WorkshopGetConversation: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the records of the conversation, the oldest first */
			messages: {
				/** the result of a tool call, as the model sees it */
				content?: string;
				/** when it was made, RFC 3339 */
				created_at: string;
				/** what happened, for a system_event */
				event_kind?: string;
				/** what the model is shown with the result */
				images?: {
					/** height in pixels */
					height: number;
					/** image/png or image/jpeg */
					mime: string;
					/** what the image shows */
					name: string;
					/** SHA-256 of the image's bytes, which the data folder keeps */
					object: string;
					/** width in pixels */
					width: number;
				}[] | null;
				/** the message of the conversation */
				message_id: string;
				/** more about the record; its members depend on event_kind */
				metadata?: { [name: string]: any };
				/** who speaks */
				role?: "user" | "assistant" | "tool" | "system";
				/** whether the tool call succeeded */
				success?: boolean | null;
				/** the text */
				text?: string;
				/** the tool call, as the model named it */
				tool_call_id?: string;
				/** the tool calls of an assistant message */
				tool_calls?: {
					/** the tool that is called */
					function: {
						/** the arguments as the model wrote them, JSON text */
						arguments: string;
						/** the name of the tool */
						name: string;
					};
					/** the id of the call */
					id: string;
					/** what the model's endpoint wants back with the call */
					keep?: string;
				}[] | null;
				/** the name of the tool */
				tool_name?: string;
				/** what kind of record it is */
				type: "user_message" | "assistant_message" | "tool_result" | "system_event";
			}[] | null;
		};
	};
	/** The model in use, and whether there is a draft or a run. */
	WorkshopGetState: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
		};
		result: {
			/** the plan of a run in phases that another message or an undo followed */
			abandoned?: {
				/** how many items the plan had */
				items: number;
				/** how many items of the plan are done, failed ones included */
				items_done: number;
				/** the message of the conversation */
				message_id: string;
				/** whether files were taken back since */
				undone: boolean;
			} | null;
			/** the model of the workbench */
			active_model_id: string;
			/** what is in progress; left out when nothing is */
			activity?: "run" | "translation" | "summary" | "publish" | "discard" | "revert" | "undo" | "checkpoint" | "restore" | "attach" | "delete";
			/** whether WorkshopRunAgent may be used */
			agentic: boolean;
			/** how many runs have their turn before the one that waits */
			ahead?: number | null;
			/** the model of new workbenches */
			default_model_id: string;
			/** whether there is a draft */
			has_draft: boolean;
			/** the mode */
			mode: "plan" | "build";
			/** the plan that is carried out; "" for none */
			plan_file: string;
			/** messages that wait for the run in progress */
			queued?: {
				/** when the message was sent, RFC 3339 */
				at: string;
				/** the message of the conversation */
				message_id: string;
				/** the message that the run answers */
				run: string;
				/** the text */
				text: string;
				/** when the model sees the message */
				when: "now" | "after" | "hold";
			}[] | null;
			/** the position before the first notification of the run in progress: EventsResume with it sends all of the run; left out when none is, and when it is 0 */
			run_position?: number;
			/** whether it is in progress */
			running: boolean;
			/** a run in phases that was broken off; WorkshopRunAgent with its message continues it */
			unfinished?: {
				/** how many items the plan has; 0 while there is no plan */
				items: number;
				/** how many items of the plan are done, failed ones included */
				items_done: number;
				/** the message of the conversation */
				message_id: string;
				/** the first phase that is not finished */
				phase: "research" | "plan" | "implement" | "summary";
			} | null;
		};
	};
	/** The tool calls of runs with their whole results, oldest first. */
	WorkshopGetToolLog: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** only entries with a greater id; default 0, from the first */
			after?: number;
			/** at most so many entries in one answer */
			limit?: number;
		};
		result: {
			/** the calls */
			entries: {
				/** the arguments as the model wrote them, JSON text */
				args: string;
				/** the tool call, as the model named it */
				call_id: string;
				/** how long it took, in milliseconds */
				elapsed_ms: number;
				/** the error, in words */
				error?: string;
				/** the id of the call, which recall_tool_result takes */
				id: number;
				/** what the model sees in place of a long result; the result when it is short */
				receipt: string;
				/** the whole result */
				result: string;
				/** the files whose content the result carries; null when that is not known */
				sources: string[] | null;
				/** the name of the tool */
				tool: string;
				/** when the call ended, RFC 3339 */
				ts: string;
			}[] | null;
			/** whether more follows */
			has_more: boolean;
		};
	};
	/** Not supported: the proposal flow was replaced by WorkshopRunAgent. */
	WorkshopProposeChanges: {
		params: {};
		result: {};
	};
	/** Has a message of the user answered anew, on the files as they were; what was there before can be brought back. */
	WorkshopRegenerate: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
			/** whose tools are meant; default workshop */
			catalogue?: "workshop" | "buildscale" | "aptix" | "sila";
			/** nobody answers questions: tools that ask fail, the run goes on */
			headless?: boolean;
			/** how the run works: agent goes ahead (the default), rpi researches, plans and implements, auto decides */
			workflow?: "agent" | "rpi" | "auto";
			/** the model gets no tools that change files; with the workflow agent only */
			read_only?: boolean;
			/** patterns of tools of other programs, such as github__get_*, whose calls need no answer in this run; rules come before them */
			allow_tools?: string[] | null;
			/** bounds of the work: tokens, cost, seconds; what is left out is as the engine was set up */
			budget?: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			} | null;
			/** the user message whose answer is made anew */
			message_id?: string;
		};
		result: {
			/** whether there is a draft */
			has_draft: boolean;
			/** the final message of the model */
			message_id: string;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** where the conversation was before: WorkshopUndoToMessage to it brings that back, with its draft */
			previous_message_id: string;
			/** how many tool calls there were */
			tool_calls: number;
			/** how many requests to a model there were */
			turns: number;
			/** what the run took */
			usage: {
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** how many requests were made */
				requests: number;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			};
			/** how the run worked */
			workflow: "agent" | "rpi";
		};
	};
	/** Runs the model with its tools until it is done; returns when the run has ended. */
	WorkshopRunAgent: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the user message to answer, as WorkshopSendUserMessage gave it */
			message_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id?: string;
			/** whose tools are meant; default workshop */
			catalogue?: "workshop" | "buildscale" | "aptix" | "sila";
			/** nobody answers questions: tools that ask fail, the run goes on */
			headless?: boolean;
			/** how the run works: agent goes ahead (the default), rpi researches, plans and implements, auto decides */
			workflow?: "agent" | "rpi" | "auto";
			/** the model gets no tools that change files; with the workflow agent only */
			read_only?: boolean;
			/** patterns of tools of other programs, such as github__get_*, whose calls need no answer in this run; rules come before them */
			allow_tools?: string[] | null;
			/** bounds of the work: tokens, cost, seconds; what is left out is as the engine was set up */
			budget?: {
				/** money at most, in the currency of the prices */
				cost?: number;
				/** seconds at most */
				seconds?: number;
				/** tokens at most, sent and answered */
				tokens?: number;
				/** money at most of the workbench in all */
				workbench_cost?: number;
				/** tokens at most of the workbench in all */
				workbench_tokens?: number;
			} | null;
		};
		result: {
			/** whether there is a draft */
			has_draft: boolean;
			/** the final message of the model */
			message_id: string;
			/** how many tool calls there were */
			tool_calls: number;
			/** how many requests to a model there were */
			turns: number;
			/** what the run took */
			usage: {
				/** tokens of the input that came from the endpoint's cache */
				cached_tokens: number;
				/** the costs, one entry for each currency */
				costs?: {
					/** the amount */
					amount: number;
					/** the currency, such as EUR */
					currency: string;
				}[] | null;
				/** requests whose tokens are estimated because the endpoint did not count them */
				estimated_requests: number;
				/** requests that were refused, broke off or were canceled */
				failed_requests: number;
				/** tokens sent to the model */
				input_tokens: number;
				/** requests without an answer so far, or ever */
				open_requests: number;
				/** tokens of the model's answers */
				output_tokens: number;
				/** how many requests were made */
				requests: number;
				/** requests that are not in costs because no price was known */
				unpriced_requests: number;
				/** tokens of the input that were written into the endpoint's cache, where it charges for that */
				written_tokens?: number;
			};
			/** how the run worked */
			workflow: "agent" | "rpi";
		};
	};
	/** Stores a message of the user, after a run in progress; WorkshopRunAgent answers it. */
	WorkshopSendUserMessage: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** what the user says */
			text: string;
			/** files that come with the message, at most 20 of at most 104857600 bytes: {name, content} with content in base64, {upload_id} of a complete upload, or {path} of a regular file of the host; they go into the draft as files/NAME, which is file:NAME, and are refused while anything is in progress */
			attachments?: {
				/** the content */
				content?: string;
				/** the name */
				name?: string;
				/** the file, relative to the workbench's root */
				path?: string;
				/** a complete upload instead of content or path; it is dropped when the message is stored */
				upload_id?: string;
			}[] | null;
		};
		result: {
			/** the files that came with the message, as they are in the draft */
			attachments?: {
				/** what the file was called, if that name was taken */
				given_name?: string;
				/** what kind of thing it is */
				kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary";
				/** the MIME type */
				mime_type: string;
				/** the name below files/ */
				name: string;
				/** why no tool gives the file to the model; left out when one does */
				not_readable?: string;
				/** the file, relative to the workbench's root */
				path: string;
				/** size in bytes */
				size: number;
				/** the address that tools take, file:NAME */
				uri: string;
			}[] | null;
			/** the message of the conversation */
			message_id: string;
		};
	};
	/** Chooses the model of this workbench; "pseudo" is the built-in one. */
	WorkshopSetActiveModel: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the model, as ModelsList gives it; where it may be left out, default the workbench's active model */
			model_id: string;
		};
		result: {};
	};
	/** Turns WorkshopRunAgent on or off for this workbench; on by default. */
	WorkshopSetAgentic: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** whether WorkshopRunAgent may be used */
			agentic: boolean;
		};
		result: {};
	};
	/** Replaces the workbench's rules, or what was allowed for good; counts from the next tool call on. */
	WorkshopSetApprovals: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the rules of the workbench, the first that fits decides; takes the place of the list there is */
			rules?: {
				/** what happens to the call */
				action: "allow" | "ask" | "deny";
				/** what the call does to a file; default any */
				effect?: "read" | "write" | "delete";
				/** a pattern such as contracts/**; default any */
				path?: string;
				/** a pattern of tool names; default any */
				tool?: string;
			}[] | null;
			/** the calls that are allowed for good; takes the place of the list there is */
			granted?: {
				/** what the call does to a file */
				effect?: "read" | "write" | "delete";
				/** when the user allowed it, RFC 3339 */
				granted_at?: string;
				/** what the tool of another program was when it was allowed; one that has changed is asked about again */
				of?: string;
				/** a pattern such as contracts/** */
				path: string;
				/** the name of the tool */
				tool: string;
			}[] | null;
		};
		result: {
			/** the rules of the settings file, which come after those of the workbench */
			config_rules: {
				/** what happens to the call */
				action: "allow" | "ask" | "deny";
				/** what the call does to a file; default any */
				effect?: "read" | "write" | "delete";
				/** a pattern such as contracts/**; default any */
				path?: string;
				/** a pattern of tool names; default any */
				tool?: string;
			}[] | null;
			/** the calls that are allowed for good */
			granted: {
				/** what the call does to a file */
				effect?: "read" | "write" | "delete";
				/** when the user allowed it, RFC 3339 */
				granted_at?: string;
				/** what the tool of another program was when it was allowed; one that has changed is asked about again */
				of?: string;
				/** a pattern such as contracts/** */
				path: string;
				/** the name of the tool */
				tool: string;
			}[] | null;
			/** the rules of the workbench, the first that fits decides */
			rules: {
				/** what happens to the call */
				action: "allow" | "ask" | "deny";
				/** what the call does to a file; default any */
				effect?: "read" | "write" | "delete";
				/** a pattern such as contracts/**; default any */
				path?: string;
				/** a pattern of tool names; default any */
				tool?: string;
			}[] | null;
		};
	};
	/** Goes to plan mode, where only plans can be written, or to build mode. */
	WorkshopSetMode: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** in plan mode only plans can be written */
			mode: "plan" | "build";
		};
		result: {
			/** the mode */
			mode: "plan" | "build";
			/** the plan that is carried out; "" for none */
			plan_file: string;
		};
	};
	/** Says something to the run in progress, which goes on with it at the next safe point or after its answer. */
	WorkshopSteerRun: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** what the user says */
			text: string;
			/** when the model sees it; default now */
			when?: "now" | "after" | "hold";
		};
		result: {
			/** the files that came with the message, as they are in the draft */
			attachments?: {
				/** what the file was called, if that name was taken */
				given_name?: string;
				/** what kind of thing it is */
				kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary";
				/** the MIME type */
				mime_type: string;
				/** the name below files/ */
				name: string;
				/** why no tool gives the file to the model; left out when one does */
				not_readable?: string;
				/** the file, relative to the workbench's root */
				path: string;
				/** size in bytes */
				size: number;
				/** the address that tools take, file:NAME */
				uri: string;
			}[] | null;
			/** the message of the conversation */
			message_id: string;
		};
	};
	/** Not supported: the proposal flow was replaced by WorkshopRunAgent. */
	WorkshopStreamAssistantReply: {
		params: {};
		result: {};
	};
	/** Takes conversation, draft and published files back to a message; what is taken back is kept. */
	WorkshopUndoToMessage: {
		params: {
			/** the workbench, as WorkbenchCreate and WorkbenchList give it */
			workbench_id: string;
			/** the last message or step that stays, or with before the first that goes */
			message_id: string;
			/** take the message itself back too */
			before?: boolean;
		};
		result: {
			/** the draft; it changes when a draft is published or discarded */
			draft_id?: string;
			/** whether there is a draft */
			has_draft: boolean;
			/** the message of the conversation */
			message_id: string;
			/** what a person should know besides, one sentence each */
			notes?: string[] | null;
			/** the published files that were taken back too */
			published_files: string[] | null;
			/** how many records of the conversation were taken back */
			records_undone: number;
		};
	};
}

/** The params of notifications, by name. Each has the members of Stamp besides. */
export interface Notifications {
	/** The workbench gained, changed or lost its draft. */
	DraftStateChanged: {
		/** when it was made, RFC 3339 */
		created_at?: string;
		/** the draft; it changes when a draft is published or discarded */
		draft_id?: string;
		/** whether there is a draft */
		has_draft: boolean;
		/** what made the draft */
		source_kind?: string;
		/** who made the draft */
		source_ref?: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A state of the published files can be restored from now on. */
	CheckpointCreated: {
		/** the checkpoint */
		checkpoint_id: string;
		/** when it was made, RFC 3339 */
		created_at: string;
		/** what it is called in lists */
		description?: string;
		/** what made the checkpoint */
		reason: "publish" | "restore" | "undo" | "manual" | "add" | "remove" | "write";
		/** what it has */
		stats: {
			/** how many files it has */
			files: number;
			/** the size of all files in bytes */
			total_bytes: number;
		};
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The published files went back to a checkpoint. */
	CheckpointRestored: {
		/** the checkpoint */
		checkpoint_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A translation job has ended, however it did. */
	TranslateComplete: {
		/** the job's id in the cluster whose workers ask the model */
		cluster_job?: string;
		/** the currency of figures.cost */
		currency?: string;
		/** whether it only counts and estimates */
		dry_run?: boolean;
		/** when it ended, RFC 3339; left out while it runs */
		ended_at?: string;
		/** what translates */
		engine: string;
		/** why the job failed; of a complete job a report, XLIFF or TMX file that could not be written */
		error?: string;
		/** the kind of error */
		error_code?: string;
		/** how many documents failed */
		failed: number;
		/** what was counted; there when the job has ended */
		figures: {
			/** texts that the model has to be asked for (dry run) */
			ask_segments?: number;
			/** words that the model has to be asked for (dry run) */
			ask_words?: number;
			/** tokens of the input that came from the endpoint's cache */
			cached_tokens?: number;
			/** characters of the source text, without tags */
			characters: number;
			/** tokens of the model's answers */
			completion_tokens?: number;
			/** the cost of the tokens used; in a dry run estimated */
			cost?: number;
			/** tokens that would be answered, estimated (dry run) */
			estimated_completion_tokens?: number;
			/** tokens that would be sent, estimated (dry run) */
			estimated_prompt_tokens?: number;
			/** how many flags there are, of which flags has at most a hundred */
			flags_total: number;
			/** texts left in the source language */
			left: number;
			/** texts filled from the translation memory */
			memory: number;
			/** tokens sent to the model */
			prompt_tokens?: number;
			/** texts that repeat an earlier one */
			repetitions: number;
			/** texts that an earlier run of the job had translated */
			resumed: number;
			/** how many texts there are */
			segments: number;
			/** how many tool calls there were */
			tool_calls: number;
			/** texts that were translated, repetitions included */
			translated: number;
			/** how many requests to a model there were */
			turns: number;
			/** words of the source text; a Chinese, Japanese or Thai letter counts as one */
			words: number;
			/** tokens of the input that were written into the endpoint's cache, where it charges for that */
			written_tokens?: number;
		};
		/** how many translations there are to make: documents times languages */
		files: number;
		/** how many of the files are done */
		files_done: number;
		/** how many files a person should look at */
		flagged: number;
		/** the folder of the translations */
		folder?: string;
		/** whether the translation takes the original's place */
		in_place?: boolean;
		/** the translation job */
		job_id: string;
		/** what a person should know besides */
		note?: string;
		/** over atelier http: it waits for its turn, which note tells */
		queued?: boolean;
		/** when it began, RFC 3339 */
		started_at: string;
		/** how far the job is */
		status: "running" | "complete" | "canceled" | "interrupted" | "failed" | "budget_exceeded";
		/** the target languages, BCP 47 */
		to: string[] | null;
		/** how many files were written without a translation */
		untranslated?: number;
		/** the workbench */
		workbench_id: string;
		/** how many XLIFF documents were written below xliff_out */
		xliff?: number;
	} & Stamp;
	/** A translation job went on. */
	TranslateProgress: {
		/** texts of the document that are done */
		done: number;
		/** how many translations there are to make */
		files: number;
		/** how many of the files are done */
		files_done: number;
		/** the translation job */
		job_id: string;
		/** the target language, BCP 47 */
		language: string;
		/** what a person should know besides */
		note?: string;
		/** the document that is being translated */
		path: string;
		/** texts of the document */
		segments: number;
		/** the outcome of the document, when it is done */
		status?: "" | "ok" | "flagged" | "skipped" | "failed" | "planned";
		/** tokens of the job so far */
		tokens?: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A person corrected translations of a job. */
	TranslateSegmentsChanged: {
		/** how many segments were stored as a person's */
		corrected: number;
		/** the translation job */
		job_id: string;
		/** the translations that were corrected */
		paths: string[] | null;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** Published files changed. */
	WorkbenchFilesChanged: {
		/** the published files that are new */
		added: string[] | null;
		/** the published files that were removed */
		removed: string[] | null;
		/** the published files that changed */
		updated: string[] | null;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The model repeats a call without progress. */
	WorkshopAgentLoopWarning: {
		/** the name of the tool */
		tool_name: string;
		/** which request of the run, from 1 */
		turn: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The final text of a run is stored. */
	WorkshopAssistantMessageComplete: {
		/** why the text ends before its end; left out for a whole answer */
		finish_reason?: "length" | "content_filter";
		/** the message of the conversation */
		message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A piece of text as the model writes it. */
	WorkshopAssistantStreamDelta: {
		/** the message of the conversation */
		message_id: string;
		/** the piece of text */
		token_delta: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The model gets its tools in short descriptions, since its window is small; describe_tool gives it the rest. */
	WorkshopToolsReduced: {
		/** the model */
		model_id: string;
		/** tokens after, estimated */
		tokens_are: number;
		/** tokens before, estimated */
		tokens_were: number;
		/** the model's window in tokens: a request and its answer together */
		window: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** Skills or an AGENTS.md are not used in this run, and why. */
	WorkshopInstructionsUnused: {
		/** what is not used: skills and AGENTS.md */
		instructions: {
			/** the name */
			name: string;
			/** folder or user */
			source: string;
			/** new, changed, declined, hidden or refused */
			status: string;
			/** why it is not used */
			why: string;
		}[] | null;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The endpoint left out a part of a request, since its window is too small for it. */
	WorkshopContextCut: {
		/** how to continue, in words */
		hint: string;
		/** the model */
		model_id: string;
		/** tokens of the request, as the endpoint counted them */
		tokens: number;
		/** the model's window in tokens: a request and its answer together */
		window: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** Older parts of the conversation were shortened for the model; the record keeps them. */
	WorkshopContextCompacted: {
		/** characters after */
		characters_are: number;
		/** characters before */
		characters_were: number;
		/** how many messages were left out */
		dropped: number;
		/** the record of it in the conversation; its text is the summary, if there is one */
		message_id: string;
		/** the phase of a run in phases; left out for other runs */
		phase: string;
		/** why it was compacted */
		reason: "window" | "overflow" | "phase" | "asked";
		/** how many tool results and arguments were cut to their heads */
		shortened: number;
		/** how many messages a summary replaces; 0: a summary was not worth it */
		summarised: number;
		/** whether the model was asked for a summary and gave no usable one */
		summary_failed?: boolean;
		/** tokens after, estimated */
		tokens_are: number;
		/** tokens before, estimated */
		tokens_were: number;
		/** the model's window in tokens: a request and its answer together */
		window: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A run in phases begins an item of its plan. */
	WorkshopImplementProgress: {
		/** which item of the plan, from 1 */
		current_item: number;
		/** the item of the plan, in words */
		item_label: string;
		/** how many items the plan has; it can grow */
		total_items: number;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A message of the user came with files, which are in the draft now. */
	WorkshopMessageAttached: {
		/** the files that came with the message, as they are in the draft */
		attachments: {
			/** what the file was called, if that name was taken */
			given_name?: string;
			/** what kind of thing it is */
			kind: "text" | "docx" | "odt" | "xlsx" | "pptx" | "pdf" | "image" | "binary";
			/** the MIME type */
			mime_type: string;
			/** the name below files/ */
			name: string;
			/** why no tool gives the file to the model; left out when one does */
			not_readable?: string;
			/** the file, relative to the workbench's root */
			path: string;
			/** size in bytes */
			size: number;
			/** the address that tools take, file:NAME */
			uri: string;
		}[] | null;
		/** the message of the conversation */
		message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The session went to plan or to build mode. */
	WorkshopModeChanged: {
		/** what exit_plan_mode was given beside the plan; its members are the model's */
		details?: { [name: string]: any };
		/** the mode */
		mode: "plan" | "build";
		/** the plan that is carried out; "" for none */
		plan_file: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A phase of a run in phases has ended well. */
	WorkshopPhaseCompleted: {
		/** the phase of a run in phases; left out for other runs */
		phase: "research" | "plan" | "implement" | "summary";
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A phase of a run in phases begins, or goes on after a break. */
	WorkshopPhaseStarted: {
		/** the phase of a run in phases; left out for other runs */
		phase: "research" | "plan" | "implement" | "summary";
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A client has answered a question; others stop asking it. */
	WorkshopQuestionAnswered: {
		/** the question, for WorkshopAnswerQuestion */
		question_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A tool asks the user; WorkshopAnswerQuestion answers. A run waits for it. */
	WorkshopQuestionPending: {
		/** the call that is asked about, when a rule requires it */
		approval?: {
			/** what would be allowed for good */
			always: {
				/** what the call does to a file */
				effect?: "read" | "write" | "delete";
				/** when the user allowed it, RFC 3339 */
				granted_at?: string;
				/** what the tool of another program was when it was allowed; one that has changed is asked about again */
				of?: string;
				/** a pattern such as contracts/** */
				path: string;
				/** the name of the tool */
				tool: string;
			}[] | null;
			/** the tool call, as the model named it */
			call_id: string;
			/** the call of another program's tool; left out for tools on documents */
			outside?: {
				/** the arguments, JSON; shortened where they are long */
				arguments: string;
				/** the tool was allowed for good, and is another one now */
				changed?: boolean;
				/** whether arguments were shortened */
				cut?: boolean;
				/** the description of the tool, shortened */
				description?: string;
				/** the program says that the tool may delete or replace something */
				destructive?: boolean;
				/** the program says that the tool changes nothing */
				read_only?: boolean;
				/** the name of the program */
				server: string;
				/** what people call the tool */
				title?: string;
				/** what the program calls the tool */
				tool: string;
			} | null;
			/** the name of the tool in its catalogue */
			tool: string;
			/** the files that the call concerns, each once */
			uses: {
				/** what the call does to a file */
				effect: "read" | "write" | "delete";
				/** the file, relative to the workbench's root */
				path: string;
			}[] | null;
		} | null;
		/** when it was made, RFC 3339 */
		created_at: string;
		/** the question, for WorkshopAnswerQuestion */
		question_id: string;
		/** the questions */
		questions: {
			/** answers that can be given with one click */
			buttons?: {
				/** the text of the button */
				label: string;
				/** the answer: a text, a number or a boolean */
				value: string | number | boolean;
				/** how the button looks, as the model says */
				variant?: string;
			}[] | null;
			/** the name of its answer */
			name: string;
			/** the question, in words */
			question: string;
			/** the JSON Schema that the answer must fit */
			schema: { [name: string]: any } | boolean;
		}[] | null;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The model endpoint asks to wait; the request is tried again. */
	WorkshopRateLimitWarning: {
		/** the model */
		model_id: string;
		/** the phase of a run in phases; left out for other runs */
		phase: string;
		/** the provider */
		provider_id: string;
		/** which attempt, from 1 */
		retry_attempt: number;
		/** how many attempts are made at most */
		retry_max: number;
		/** how long the wait is, in milliseconds */
		wait_ms: number;
		/** the warning, in words */
		warning_message: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** Over atelier http: a run waits for its turn; ahead is how many have theirs before it. With over it no longer waits, and is not begun. */
	WorkshopRunQueued: {
		/** how many runs have their turn before the one that waits */
		ahead: number;
		/** the message of the conversation */
		message_id: string;
		/** why the run is not begun, in words; left out while it waits */
		over?: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A patch of files that the user has open, whole: the editor applies it, nobody else writes to them. */
	SessionPatchProposed: {
		/** the id of the patches of one call */
		batchId: string;
		/** the key of the patches of one call */
		batchKey?: string;
		/** the patches of one call, in words */
		batchLabel?: string;
		/** the files that are open in the editor; the others were changed already */
		files: {
			/** the changes from top to bottom; line numbers are those before any change */
			changes: {
				/** the line after which lines are inserted; 0 is the top */
				afterLine?: number | null;
				/** the id of the change */
				changeId: string;
				/** the key of the change */
				changeKey?: string;
				/** the change, in words */
				description?: string;
				/** the last line that is replaced or deleted */
				endLine?: number | null;
				/** the lines that are replaced or deleted */
				expectedOriginalLines: string[] | null;
				/** the new lines */
				newLines: string[] | null;
				/** what the change does */
				operation: "insert" | "replace" | "delete";
				/** the first line that is replaced or deleted, from 1 */
				startLine?: number | null;
			}[] | null;
			/** what the editor calls the file */
			displayPath?: string;
			/** the name of the file for tools and editors, in lower case */
			docPath: string;
			/** the key of the patch of the file */
			fileKey?: string;
			/** the patch of the file, in words */
			fileLabel?: string;
			/** the id of the patch of the file */
			filePatchId: string;
			/** SHA-256 of the content that the editor sent; the patch fits no other */
			originalSha256: string;
		}[] | null;
		/** the editor's session; a workbench_id is one too */
		session_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** Somebody wrote or removed standing context. */
	ContextChanged: {
		/** what happened to it */
		action: "updated" | "deleted";
		/** the category */
		category: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** How full the model's window is, after a run, a compaction or a change of standing context. */
	WorkbenchClutterChanged: {
		/** tokens at which earlier turns are summarised; 0: only when the endpoint refuses a request */
		compacts_at: number;
		/** files of .atelier/context that the model does not get whole */
		context_cut: string[] | null;
		/** tokens of standing context */
		context_items_weight: number;
		/** how much of the window the standing context takes, 0 to 1 */
		context_share: number;
		/** whether some context is cut, or takes 0.35 of the window or more */
		context_warning: boolean;
		/** tokens of the conversation in the next request */
		conversation_tokens: number;
		/** how full the window is: Light below 0.4, Heavy from 0.7 */
		level: "Light" | "Moderate" | "Heavy";
		/** the model */
		model_id: string;
		/** how much of the window is used, 0 to 1 */
		score: number;
		/** tokens of the next request, estimated */
		tokens: number;
		/** the model's window in tokens: a request and its answer together */
		window: number;
		/** whether the window is known; false: it is assumed */
		window_known: boolean;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A run, translation, publish or the like began. */
	WorkbenchActivityBegan: {
		/** what is in progress; left out when nothing is */
		activity: string;
		/** whether WorkshopCancelRun can stop it */
		running: boolean;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A run, translation, publish or the like ended, one way or another. */
	WorkbenchActivityEnded: {
		/** what is in progress; left out when nothing is */
		activity: string;
		/** the error, in words */
		error?: {
			/** what the user can do about it */
			actions?: ("retry" | "open_settings" | "review_draft" | "discard_draft" | "grant_consent")[] | null;
			/** the changes */
			changes?: string[] | null;
			/** what happened, in words */
			detail?: string;
			/** what a consent would be about, for EGRESS_CONSENT_REQUIRED */
			egress?: {
				/** those of new_files that are no longer in the workbench: what was read of them is in the conversation */
				earlier_files?: string[] | null;
				/** how many files could be sent */
				files: number;
				/** the host, with its port */
				host: string;
				/** how many of them have no consent so far */
				new_files: number;
				/** whether the name of the model says that the server on this machine passes requests on to the cloud */
				passed_on?: boolean;
				/** stands for the files that could be sent, by their names; "" for a model on this machine */
				scope_hash: string;
			} | null;
			/** the kind of error */
			error_code: "VALIDATION_FAILED" | "SANDBOX_VIOLATION" | "FILE_READ_FAILED" | "NOT_FOUND" | "FILE_WRITE_FAILED" | "DISK_FULL" | "KEPT_DATA_DAMAGED" | "USER_CANCELED" | "CONFLICT_PUBLISHED_CHANGED" | "PROVIDER_AUTH_FAILED" | "PROVIDER_NOT_CONFIGURED" | "PROVIDER_UNAVAILABLE" | "NETWORK_UNAVAILABLE" | "ANSWER_TOO_LARGE" | "EGRESS_CONSENT_REQUIRED" | "EGRESS_BLOCKED_BY_POLICY" | "METHOD_NOT_FOUND" | "INVALID_PARAMS" | "AGENT_LOOP_DETECTED" | "BUDGET_EXCEEDED";
			/** how to continue, in words */
			hint?: string;
			/** the model it concerns */
			model_id?: string;
			/** the files it concerns */
			paths?: string[] | null;
			/** the part of the engine that failed */
			phase?: string;
			/** the provider it concerns */
			provider_id?: string;
			/** whether the same call can succeed later */
			retryable: boolean;
			/** what was being done */
			subphase?: string;
			/** the workbench it concerns */
			workbench_id?: string;
		} | null;
		/** whether WorkshopCancelRun could stop it */
		running: boolean;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** The conversation changed other than by a run: a message, an undo, a restored file, rejected changes. */
	WorkshopConversationChanged: {
		/** what happened to it */
		change: string;
		/** the message of the conversation */
		message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A run was asked to stop. */
	WorkshopRunCancelRequested: {
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** An answer is about to be made anew. */
	WorkshopRegenerateStarted: {
		/** the message that was named */
		from_message_id: string;
		/** where the conversation was before: WorkshopUndoToMessage to it brings that back, with its draft */
		previous_message_id: string;
		/** the message of the user that is answered anew */
		target_message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** An answer was made anew. */
	WorkshopRegenerateCompleted: {
		/** the message of the conversation */
		message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A message of the user waits for the run in progress. */
	WorkshopSteerQueued: {
		/** the message of the conversation */
		message_id: string;
		/** the text */
		text: string;
		/** when the model sees the message */
		when: "now" | "after" | "hold";
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A message that waited for a run is in the conversation now. */
	WorkshopSteerTaken: {
		/** the message of the conversation */
		message_id: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A program whose tools models may call has another state, or other tools. */
	ToolServersChanged: {
		/** the name of the program */
		name: string;
	} & Stamp;
	/** Where the person signs in to a program; ToolServersSignIn waits for it. */
	ToolServersSignInAddress: {
		/** the address to open in a browser */
		address: string;
		/** the name of the program */
		name: string;
	} & Stamp;
	/** Tools of some programs are not offered in this run, and why; or the run waits for programs that start. */
	WorkshopToolServers: {
		/** the programs; none when what was missing is there now */
		servers: {
			/** why, for a person; it can quote the program */
			reason: string;
			/** the name of the program */
			server: string;
			/** its state, as ToolServersList has it */
			state: string;
		}[] | null;
		/** the run waits for programs that start */
		waiting?: boolean;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A tool call has ended; one for each WorkshopToolExecuting. */
	WorkshopToolComplete: {
		/** the files that the call changed in the draft, the first 100 */
		changed?: {
			/** what the call did to the file */
			change: "written" | "removed";
			/** the file, relative to the workbench's root */
			path: string;
		}[] | null;
		/** how many more files the call changed */
		changed_omitted?: number;
		/** the file that the call is about, as the call names it */
		path?: string;
		/** all files that the call names, when they are more than one */
		paths?: string[] | null;
		/** whether it succeeded */
		success: boolean;
		/** the tool call, as the model named it */
		tool_call_id: string;
		/** the name of the tool */
		tool_name: string;
		/** whether a tool that can change files changed none */
		unchanged?: boolean;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** A tool call begins. */
	WorkshopToolExecuting: {
		/** the file that the call is about, as the call names it */
		path?: string;
		/** all files that the call names, when they are more than one */
		paths?: string[] | null;
		/** the tool call, as the model named it */
		tool_call_id: string;
		/** the name of the tool */
		tool_name: string;
		/** the workbench */
		workbench_id: string;
	} & Stamp;
	/** What a request to the model took, and the run so far. */
	WorkshopUsage: {
		/** tokens of the input that came from the endpoint's cache */
		cached_tokens: number;
		/** what it cost */
		cost?: {
			/** the amount */
			amount: number;
			/** the currency, such as EUR */
			currency: string;
		} | null;
		/** whether the tokens are estimated because the endpoint did not count them */
		estimated: boolean;
		/** whether the request was refused, broke off or was canceled */
		failed: boolean;
		/** tokens sent to the model */
		input_tokens: number;
		/** the message of the conversation */
		message_id: string;
		/** the model */
		model_id: string;
		/** tokens of the model's answers */
		output_tokens: number;
		/** the phase of a run in phases; left out for other runs */
		phase: string;
		/** the provider */
		provider_id: string;
		/** what the requests were for: a turn of the run, or a summary of the earlier conversation */
		purpose: "turn" | "summary";
		/** the sums of the run so far */
		run: {
			/** tokens of the input that came from the endpoint's cache */
			cached_tokens: number;
			/** the costs, one entry for each currency */
			costs?: {
				/** the amount */
				amount: number;
				/** the currency, such as EUR */
				currency: string;
			}[] | null;
			/** requests whose tokens are estimated because the endpoint did not count them */
			estimated_requests: number;
			/** requests that were refused, broke off or were canceled */
			failed_requests: number;
			/** tokens sent to the model */
			input_tokens: number;
			/** requests without an answer so far, or ever */
			open_requests: number;
			/** tokens of the model's answers */
			output_tokens: number;
			/** how many requests were made */
			requests: number;
			/** requests that are not in costs because no price was known */
			unpriced_requests: number;
			/** tokens of the input that were written into the endpoint's cache, where it charges for that */
			written_tokens?: number;
		};
		/** the run */
		run_id: string;
		/** which request of the run, from 1 */
		turn: number;
		/** the workbench */
		workbench_id: string;
		/** tokens of the input that were written into the endpoint's cache, where it charges for that */
		written_tokens?: number;
	} & Stamp;
}

export interface Stamp {
	/** counts the workbench's notifications on this connection */
	seq?: number;
	/** what EventsResume takes */
	position?: number;
}
