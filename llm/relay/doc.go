// Package relay sends requests to models through other processes of a cluster: a job
// puts requests into a queue, workers take them, ask the model with their own key
// and return the answers.
//
//	q, err := relay.Open(ctx, c, relay.Options{})
//	job, err := q.Begin(ctx, relay.JobInfo{ID: id, Title: "contracts", Model: target.Model}, target)
//	defer job.End(relay.JobComplete, "")
//	resp, err := job.Chat(ctx, llm.Request{Messages: messages}) // job is an llm.Client
//
//	err := q.Work(ctx, relay.WorkerOptions{Name: "w1", AtOnce: 4, Target: target, Client: client})
//
// What must last is not here: a job keeps what it was answered, and asks again for what
// is lost. So the queue is in the memory of the cluster's servers, which leave no text of a
// document on a disk.
//
// A request is worked on by one worker at a time: the queue (a work queue of JetStream)
// gives it to one, and to another when that one has not said for 10 seconds that it is at
// work. Before a worker asks the model, and every 2 seconds while it does, it asks the job
// whether the request is still wanted; the answer goes to the job itself, and the request
// leaves the queue when the job has it. A request that the queue lost, since all servers
// stopped, is put into it again by its job. So a model is asked twice for an answer only if
// a worker died, or was silent for 10 seconds, while the first request was on its way.
package relay
